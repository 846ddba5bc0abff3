/**
 * Stores answers by request. A server fills a store before it renders and passes its content to the page, so both first renders
 * are equal and no request is sent twice.
 */

import {
  type Answer,
  anonymous,
  type Personalisation,
  type RecommendationRequest,
  type SearchAnswer,
  type SearchRequest,
} from '@personalisation/browser';

export type Question =
  | { kind: 'lists'; request: RecommendationRequest; fallback?: Record<string, readonly string[]> }
  | { kind: 'search'; request: SearchRequest };

export type Entry =
  | { status: 'pending'; answer?: undefined; error?: undefined }
  | { status: 'ready'; answer: Answer | SearchAnswer; error?: undefined }
  | { status: 'failed'; answer?: undefined; error: Error };

/** Plain data, for JSON. */
export type PersonalisationState = Record<string, Answer>;

export type PersonalisationStore = {
  readonly client: Personalisation;
  /** Key of an answer: the request, with the defaults of the page and visitor. */
  keyOf(question: Question): string;
  read(key: string): Entry | undefined;
  /** Asks, unless the service has answered it or is being asked. */
  load(question: Question): Promise<void>;
  subscribe(listener: () => void): () => void;
  /** Content for the store of a page. */
  dehydrate(): PersonalisationState;
};

/** Maximum of stored answers; a search box requests one for each key. */
const mostKept = 100;

export function createPersonalisationStore(
  client: Personalisation,
  state: PersonalisationState = {},
): PersonalisationStore {
  const entries = new Map<string, Entry>(
    Object.entries(state).map(([key, answer]) => [key, { status: 'ready', answer }]),
  );
  const loading = new Map<string, Promise<void>>();
  const listeners = new Set<() => void>();
  const tell = () => {
    for (const listener of listeners) listener();
  };
  let visitor = visitorOf(client);
  let visitorCount = 0;
  const keyOf = (question: Question) => `${visitorCount} ${question.kind} ${wordsOf(question, client)}`;

  /** Drops the answers of other visitors; anonymous answers remain. */
  client.onChange(() => {
    const before = visitor;
    visitor = visitorOf(client);
    if (visitor !== before && before !== undefined) {
      visitorCount += 1;
      entries.clear();
    }
    tell();
  });

  async function ask(key: string, question: Question): Promise<void> {
    const asker = visitorCount;
    const put = (entry: Entry) => {
      if (asker !== visitorCount) return;
      entries.set(key, entry);
      tell();
      forgetOldest(entries);
    };
    /** The caller's own list stays until there is a better one. */
    if (entries.get(key)?.status !== 'ready') put(pending);
    put(await entryOf(client, question));
    loading.delete(key);
  }

  return {
    client,
    keyOf,
    read(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      return entry;
    },
    async load(question) {
      const key = keyOf(question);
      const known = entries.get(key)?.answer;
      if (known && !known.is_fallback) return;
      const running = loading.get(key) ?? ask(key, question);
      if (loading.get(key) !== running) loading.set(key, running);
      await running;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    dehydrate: () => stateOf(entries),
  };
}

function stateOf(entries: ReadonlyMap<string, Entry>): PersonalisationState {
  const answers = Array.from(entries, ([key, { answer }]) => [key, answer] as const);
  return Object.fromEntries(answers.filter(([, answer]) => answer !== undefined)) as PersonalisationState;
}

async function entryOf(client: Personalisation, question: Question): Promise<Entry> {
  try {
    return { status: 'ready', answer: await answerOf(client, question) };
  } catch (thrown) {
    return { status: 'failed', error: thrown instanceof Error ? thrown : new Error(String(thrown)) };
  }
}

/** Answers on the page are read on each change, so the least recently read is not on the page. */
function forgetOldest(entries: Map<string, Entry>): void {
  for (const key of entries.keys()) {
    if (entries.size <= mostKept) return;
    entries.delete(key);
  }
}

export const pending: Entry = { status: 'pending' };

/** Returns undefined for an anonymous visitor. */
function visitorOf(client: Personalisation): string | undefined {
  const { device_id, user_id = '' } = client.visitor();
  return device_id === anonymous ? undefined : `${device_id} ${user_id}`;
}

/** A question that names an item leaves nothing but the type of page to the page. */
function wordsOf({ kind, request }: Question, client: Personalisation): string {
  const { page_type, ...about } = client.context();
  const isWhole = kind === 'search' || request.context_item !== undefined;
  return JSON.stringify({ page_type, ...(isWhole ? {} : about), ...request });
}

function answerOf(client: Personalisation, question: Question): Promise<Answer> {
  if (question.kind === 'search') return client.search(question.request);
  return client.recommend(question.request, { fallback: question.fallback });
}
