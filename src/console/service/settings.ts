/** Settings that the server writes into the page. */

type Settings = {
  /** Prefix of the service on this host, to which calls are relative; empty unless a proxy adds one. */
  prefix: string;
  /** Prefix of the documented paths, on this host. */
  basePath: string;
  /** Whether the deployment allows hosts of item images. */
  showsImages: boolean;
};

const written = document.querySelector<HTMLMetaElement>('meta[name="console-settings"]')!.content;

/** `root` is relative to the page. */
const { root, basePath, showsImages } = JSON.parse(written) as Settings & { root: string };
const prefix = new URL(root, location.href).pathname.slice(0, -1);

export const settings: Settings = { prefix, basePath: prefix + basePath, showsImages };

/** The scroll lock of dialogs reads the nonce of its styles under this name. */
declare global {
  var __webpack_nonce__: string | undefined;
}

/** Nonce with which styles that scripts add pass the content security policy. */
export const styleNonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

globalThis.__webpack_nonce__ = styleNonce;
