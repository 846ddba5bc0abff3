/**
 * Answers by what was asked. A server fills a store before it renders and hands its content to the page, whose store begins with
 * it: the first render of both is the same, and nothing is asked twice.
 */

import type { Answer, Personalisation, RecommendationRequest, SearchRequest } from '@personalisation/browser';

export type Question =
  | { kind: 'lists'; request: RecommendationRequest; fallback?: Record<string, readonly string[]> }
  | { kind: 'search'; request: SearchRequest };

export type Entry =
  | { status: 'pending'; answer?: undefined; error?: undefined }
  | { status: 'ready'; answer: Answer; error?: undefined }
  | { status: 'failed'; answer?: undefined; error: Error };

/** Plain data, for JSON. */
export type PersonalisationState = Record<string, Answer>;

export type PersonalisationStore = {
  readonly client: Personalisation;
  read(key: string): Entry | undefined;
  /** Asks, unless it is answered or being answered. */
  load(question: Question): Promise<void>;
  subscribe(listener: () => void): () => void;
  /** What a page's store begins with. */
  dehydrate(): PersonalisationState;
};

export function createPersonalisationStore(
  client: Personalisation,
  state: PersonalisationState = {},
): PersonalisationStore {
  const entries = new Map<string, Entry>(
    Object.entries(state).map(([key, answer]) => [key, { status: 'ready', answer }]),
  );
  const loading = new Map<string, Promise<void>>();
  const listeners = new Set<() => void>();
  const put = (key: string, entry: Entry) => {
    entries.set(key, entry);
    for (const listener of listeners) listener();
  };

  async function ask(key: string, question: Question): Promise<void> {
    put(key, pending);
    try {
      put(key, { status: 'ready', answer: await answerOf(client, question) });
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown));
      put(key, { status: 'failed', error });
    } finally {
      loading.delete(key);
    }
  }

  return {
    client,
    read: (key) => entries.get(key),
    async load(question) {
      const key = keyOf(question);
      if (entries.get(key)?.status === 'ready') return;
      const running = loading.get(key) ?? ask(key, question);
      if (loading.get(key) !== running) loading.set(key, running);
      await running;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    dehydrate: () =>
      Object.fromEntries(
        Array.from(entries).flatMap(([key, { answer }]) => (answer === undefined ? [] : [[key, answer]])),
      ),
  };
}

export const pending: Entry = { status: 'pending' };

export function keyOf({ kind, request }: Question): string {
  return `${kind} ${JSON.stringify(request)}`;
}

function answerOf(client: Personalisation, question: Question): Promise<Answer> {
  if (question.kind === 'search') return client.search(question.request);
  return client.recommend(question.request, { fallback: question.fallback });
}
