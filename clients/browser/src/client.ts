/** The client of a page. It does nothing when it is imported, and leaves the page alone when the service is away. */

import { createAsking } from './asking.ts';
import type {
  Answer,
  Choice,
  Completions,
  Item,
  List,
  Page,
  PageEvent,
  RecommendationRequest,
  SearchAnswer,
  SearchRequest,
} from './contract.ts';
import { createPreview } from './preview.ts';
import type { PersonalisationError } from './service-call.ts';
import { type Context, createSession, type Visitor } from './session.ts';
import { createShowing } from './showing.ts';

export type PersonalisationOptions = {
  /** Address of the service, without the prefix of its JSON paths, e.g. `https://personal.example`. */
  baseUrl: string;
  /** Prefix of the service's JSON paths: `server.base_path` of its deployment file [`/api`]. */
  basePath?: string;
  environment: string;
  /** Write key of a client with the scope `events` and this page's origin. Without it no events are sent. */
  writeKey?: string;
  /** Whether the visitor consented to be recognised. Required, so that each page decides. */
  consent: boolean;
  /** The visitor's account. */
  userId?: string;
  /** Instead of a cookie's: what the site already calls the visitor. */
  deviceId?: string;
  /** e.g. `web`, `mobile-web` [web]. */
  channel?: string;
  /** Time for an answer in milliseconds [1,000]. */
  timeoutMs?: number;
  /** Hears of events that could not be sent; nothing is thrown for them. */
  onError?: (error: PersonalisationError) => void;
};

export type AskOptions = { timeoutMs?: number; signal?: AbortSignal };

/** Ids, or items, to show instead when the service does not answer. */
export type FallbackItems = readonly (string | Item)[];

export type Personalisation = {
  /** A page is shown: sends the event for it, and is what lists and later events are about. Call it at each change of the route. */
  page(page: Page): void;
  /** @param options.fallback By the name of the list. */
  recommend(
    request: RecommendationRequest,
    options?: AskOptions & { fallback?: Record<string, FallbackItems> },
  ): Promise<Answer>;
  search(request: SearchRequest, options?: AskOptions & { fallback?: FallbackItems }): Promise<SearchAnswer>;
  complete(request: { q: string; [property: string]: unknown }, options?: AskOptions): Promise<Completions>;
  /** Puts a list into an element and watches it. `render` makes an item's element. Returns how to stop watching. */
  show(container: Element, list: List, render: (item: Item) => Element): () => void;
  /** Watches items that are already on the page (elements with `data-item`). Returns a function that stops. */
  watch(container: Element, list: List): () => void;
  track(event: PageEvent): void;
  /** The visitor signed in; without an ID, the account is unknown. When a visitor signs out, call `reset`. */
  identify(userId: string | undefined): void;
  /**
   * The visitor signed out: ends the link of the device and begins with a new device ID, so that the next visitor of
   * this browser sees nothing of the one before.
   */
  reset(): void;
  /**
   * Sends the visitor's choice about the lists of this device. Rejects if the service refuses it, as for an ID that this
   * client did not make; without consent it does nothing.
   */
  control(choice: Choice): Promise<void>;
  /** Without consent nothing is stored, lists are for `anonymous`, and no event is sent. */
  setConsent(given: boolean): void;
  /** The current subject of list requests. */
  visitor(): Visitor;
  /** The context of the current page. */
  context(): Context;
  /** Tells of another page, account or consent. */
  onChange(listener: () => void): void;
  /** Sends what waits. */
  flush(): Promise<void>;
};

export function createPersonalisation(options: PersonalisationOptions): Personalisation {
  const { baseUrl, basePath = '/api', environment, timeoutMs = 1_000 } = options;
  const base = `${baseUrl.replace(/\/$/, '')}${basePath}/${encodeURIComponent(environment)}`;
  const preview = createPreview();
  const session = createSession(base, {
    ...options,
    isPreviewed: () => preview.part().preview !== undefined,
  });
  return {
    ...session,
    ...createAsking({ base, timeoutMs, preview, ...session }),
    ...createShowing(session.track),
  };
}
