/** Settings that the server writes into the page. */

type Settings = {
  /** Prefix of the documented paths. */
  basePath: string;
  /** Whether the deployment allows hosts of item images. */
  showsImages: boolean;
};

const written = document.querySelector<HTMLMetaElement>('meta[name="console-settings"]')!.content;

export const settings: Settings = JSON.parse(written);

/** The scroll lock of dialogs reads the nonce of its styles under this name. */
declare global {
  var __webpack_nonce__: string | undefined;
}

/** Nonce with which styles that scripts add pass the content security policy. */
export const styleNonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

globalThis.__webpack_nonce__ = styleNonce;
