/** The hooks. All state is in the store, so that a component that comes again shows at once what was there. */

import type { Item, List, Personalisation, SearchAnswer, SearchRequest } from '@personalisation/browser';
import {
  createContext,
  createElement,
  type ReactNode,
  type RefCallback,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useSyncExternalStore,
} from 'react';
import { type RecommendationsOptions, recommendationsQuestion } from './question.ts';
import { type Entry, type PersonalisationStore, pending, type Question } from './store.ts';

const StoreContext = createContext<PersonalisationStore | undefined>(undefined);

export function PersonalisationProvider(props: { store: PersonalisationStore; children?: ReactNode }) {
  return createElement(StoreContext.Provider, { value: props.store }, props.children);
}

function useStore(): PersonalisationStore {
  const store = useContext(StoreContext);
  if (store === undefined) throw new Error('There is no PersonalisationProvider around this component.');
  return store;
}

/** For events of the application's own: `client.page(…)`, `client.track(…)`. */
export function usePersonalisation(): Personalisation {
  return useStore().client;
}

export type ListState = {
  status: Entry['status'];
  items: Item[];
  /** Undefined until it is ready. */
  list: List | undefined;
  error: Error | undefined;
  /** Ref for the element around the items (`data-item`); impressions and clicks are tracked. */
  ref: RefCallback<Element>;
};

export type SearchState = ListState & {
  /** All that was answered: further lists, facets, a correction, where to send the visitor. Undefined until it is ready. */
  answer: SearchAnswer | undefined;
};

export function useRecommendations(options: RecommendationsOptions): ListState {
  return useList(recommendationsQuestion(options));
}

/** The first list of results. An empty query finds the visitor's best items. */
export function useSearch(request: SearchRequest): SearchState {
  return useList({ kind: 'search', request });
}

function useList(question: Question): SearchState {
  const store = useStore();
  const readKey = () => store.keyOf(question);
  const key = useSyncExternalStore(store.subscribe, readKey, readKey);
  const read = () => store.read(key) ?? pending;
  const { status, answer, error } = useSyncExternalStore(store.subscribe, read, read);
  /** The key says all of the question that matters. */
  useEffect(() => void store.load(question), [store, key]);
  const list = answer?.lists[0];
  return { status, list, items: list?.items ?? noItems, error, ref: useTracking(list), answer };
}

const noItems: Item[] = [];

function createWatching(): { stop(): void } {
  return { stop() {} };
}

/** Watches a list that the application put into the page itself; for `ref` of the element around the items. */
export function useTracking(list: List | undefined): RefCallback<Element> {
  const { client } = useStore();
  const watching = useMemo(createWatching, []);
  return useCallback(
    (element: Element | null) => {
      watching.stop();
      watching.stop = element && list ? client.watch(element, list) : () => undefined;
    },
    [client, list, watching],
  );
}
