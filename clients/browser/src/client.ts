/** The client of a page. It does nothing when it is imported, and leaves the page alone when the service is away. */

import type {
  Answer,
  Completions,
  Item,
  List,
  ListOrigin,
  Page,
  PageEvent,
  RecommendationRequest,
  SearchAnswer,
  SearchRequest,
} from './contract.ts';
import { createIdentity, newId } from './identity.ts';
import { createOutbox } from './outbox.ts';
import { PersonalisationError, post } from './request.ts';
import { watch } from './watch.ts';

export type PersonalisationOptions = {
  /** Where the service is, with the prefix of its paths, e.g. `https://personal.example/api`. */
  url: string;
  environment: string;
  /** Of a client with the scope of events and this page's origin. Without: no events are sent. */
  writeKey?: string;
  /** Whether the visitor agreed to be recognised. There is no default: who puts this into a page has to know. */
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
  /** Watches items, elements with `data-item`, that somebody else put there. Returns how to stop. */
  watch(container: Element, list: List): () => void;
  track(event: PageEvent): void;
  /** The visitor signed in, or out. */
  identify(userId: string | undefined): void;
  /** Without consent nothing is stored, lists are for `anonymous`, and no event is sent. */
  setConsent(given: boolean): void;
  /** Sends what waits. */
  flush(): Promise<void>;
};

const serviceShare = 0.8;

export function createPersonalisation(options: PersonalisationOptions): Personalisation {
  const {
    url,
    environment,
    writeKey,
    channel = 'web',
    timeoutMs = 1_000,
    onError = () => undefined,
  } = options;
  const base = `${url.replace(/\/$/, '')}/${encodeURIComponent(environment)}`;
  const identity = createIdentity(options.consent, options.deviceId);
  const isPage = typeof document !== 'undefined';
  const outbox = createOutbox({
    url: `${base}/events?partial=true&write_key=${encodeURIComponent(writeKey ?? '')}`,
    name: environment,
    newId,
    onError,
  });
  let userId = options.userId;
  let current: Page = { page_type: 'unknown' };
  if (isPage && writeKey) {
    if (options.consent) outbox.start();
    else outbox.clear();
  }
  let isStarted = options.consent;

  /** Signed-out, without consent, in one place. */
  function visitor(): { device_id: string; user_id?: string; channel: string } {
    const user = identity.hasConsent() && userId !== undefined ? { user_id: userId } : {};
    return { device_id: identity.deviceId(), ...user, channel };
  }

  function track(event: PageEvent): void {
    if (!isPage || !writeKey || !identity.hasConsent()) return;
    outbox.add({ ...visitor(), page_type: current.page_type, ...event, event_id: newId() });
  }

  function page(next: Page): void {
    current = next;
    const event_type = next.action_item
      ? 'detail_pageview'
      : next.action_group
        ? 'group_pageview'
        : 'page_visit';
    track({ event_type, ...next });
  }

  function context() {
    const { page_type, action_item: context_item, action_item_type: context_item_type } = current;
    return { page_type, context_item, context_item_type };
  }

  function ask<Body>(path: string, request: object, ask: AskOptions = {}): Promise<Body> {
    return post(`${base}/${path}`, request, { timeoutMs: ask.timeoutMs ?? timeoutMs, signal: ask.signal });
  }

  async function recommend(
    request: RecommendationRequest,
    { fallback, ...call }: AskOptions & { fallback?: Record<string, FallbackItems> } = {},
  ): Promise<Answer> {
    const timeout_ms = Math.max(1, Math.floor((call.timeoutMs ?? timeoutMs) * serviceShare));
    const body = { ...visitor(), ...context(), timeout_ms, ...request };
    const answering = ask<Answer>('recommendations/requests', body, call);
    const answer = await orFallback(
      answering,
      fallback &&
        request.lists.map(({ list_name, list_size, limit }) =>
          ownList(list_name, (fallback[list_name] ?? []).slice(0, limit ?? list_size)),
        ),
    );
    return withOrigin(answer, 'recommendation', body);
  }

  async function search(
    request: SearchRequest,
    { fallback, ...call }: AskOptions & { fallback?: FallbackItems } = {},
  ): Promise<SearchAnswer> {
    const body = { ...visitor(), page_type: current.page_type, ...request };
    const answering = ask<SearchAnswer>('searches/requests', body, call);
    const answer = await orFallback(answering, fallback && [ownList('fallback', fallback)]);
    return withOrigin(answer, 'search', { page_type: body.page_type });
  }

  function watchList(container: Element, list: List): () => void {
    const types = new Map(list.items.map(({ item_id, item_type }) => [item_id, item_type]));
    const send = (event_type: PageEvent['event_type']) => (action_item: string, element: Element) => {
      const action_item_type = element.getAttribute('data-item-type') ?? types.get(action_item) ?? undefined;
      track({ ...originOf(list), event_type, action_item, ...(action_item_type && { action_item_type }) });
    };
    const isSearch = list.kind === 'search';
    return watch(container, {
      onSeen: send(isSearch ? 'search_impression' : 'impression'),
      onClicked: send(isSearch ? 'search_click_on_recommendation' : 'click_on_recommendation'),
    });
  }

  return {
    page,
    recommend,
    search,
    complete(request, call) {
      const { channel: _, ...who } = visitor();
      return ask('searches/completions', { ...who, ...request }, call);
    },
    show(container, list, render) {
      const elements = list.items.map((item) => {
        const element = render(item);
        element.setAttribute('data-item', item.item_id);
        return element;
      });
      container.replaceChildren(...elements);
      return watchList(container, list);
    },
    watch: watchList,
    track,
    identify(id) {
      userId = id;
    },
    setConsent(given) {
      identity.setConsent(given);
      if (!given) outbox.clear();
      else if (isPage && writeKey && !isStarted) outbox.start();
      isStarted ||= given;
    },
    flush: () => outbox.flush(),
  };
}

async function orFallback<A extends Answer>(answering: Promise<A>, lists: List[] | undefined): Promise<A> {
  try {
    return { ...(await answering), is_fallback: false };
  } catch (error) {
    if (!lists || !(error instanceof PersonalisationError && error.isPassing)) throw error;
    return { lists, request_id: newId(), user_group: 'cms', is_fallback: true } as A;
  }
}

/** The rest of its origin is filled in with that of the answer. */
function ownList(list_name: string, fallback: FallbackItems): List {
  const items = fallback.map((item, index) => ({
    rank: index + 1,
    ...(typeof item === 'string' ? { item_id: item } : item),
  }));
  return { list_name, list_size: items.length, items } as unknown as List;
}

function withOrigin<A extends Answer>(
  answer: A,
  kind: ListOrigin['kind'],
  {
    page_type,
    context_item,
    context_item_type,
  }: Pick<ListOrigin, 'page_type' | 'context_item' | 'context_item_type'>,
): A {
  const { request_id, user_group, version } = answer;
  const origin = { kind, request_id, user_group, version, page_type, context_item, context_item_type };
  return { ...answer, lists: answer.lists.map((list) => ({ ...list, ...origin })) };
}

function originOf({ kind, list_name, request_id, user_group, version, ...list }: List) {
  const { page_type, context_item, context_item_type } = list;
  const search = { list_name, request_id, page_type };
  return kind === 'search' ? search : { ...search, user_group, version, context_item, context_item_type };
}
