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

export const settings = readSettings(JSON.parse(written));

/** `root` is relative to the page. */
function readSettings({ root, ...rest }: Settings & { root: string }): Settings {
  const prefix = new URL(root, location.href).pathname.slice(0, -1);
  return { ...rest, prefix, basePath: prefix + rest.basePath };
}

/** The scroll lock of dialogs reads the nonce of its styles under this name. */
declare global {
  var __webpack_nonce__: string | undefined;
}

/** Nonce with which styles that scripts add pass the content security policy. */
export const styleNonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

globalThis.__webpack_nonce__ = styleNonce;
