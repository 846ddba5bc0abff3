/** What the server wrote into the page. */

type Settings = {
  /** Prefix of the documented paths. */
  basePath: string;
  /** The deployment names origins that pictures of items may come from. */
  showsImages: boolean;
};

const written = document.querySelector<HTMLMetaElement>('meta[name="console-settings"]')!.content;

export const settings: Settings = JSON.parse(written);

/** Lets styles that scripts add pass the page's content security policy. */
/** What locks the page's scrolling below dialogs looks for it under this name. */
declare global {
  var __webpack_nonce__: string | undefined;
}

export const styleNonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

globalThis.__webpack_nonce__ = styleNonce;
