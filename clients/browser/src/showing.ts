/** Lists in the page, and the events about what is seen and clicked in them. */

import type { Personalisation } from './client.ts';
import type { List, PageEvent } from './contract.ts';
import { watch } from './watch.ts';

export function createShowing(track: Personalisation['track']): Pick<Personalisation, 'show' | 'watch'> {
  /** A list that comes again, as pages of an app do, has been seen as far as it was. */
  const seen = new WeakMap<List, Set<string>>();
  /** How to stop watching what an element held before; its items are no longer of that list. */
  const stops = new WeakMap<Element, () => void>();
  function watchList(container: Element, list: List): () => void {
    const seenItems = seen.get(list) ?? new Set();
    seen.set(list, seenItems);
    const types = new Map(list.items.map(({ item_id, item_type }) => [item_id, item_type]));
    const tell = (event_type: PageEvent['event_type']) => (action_item: string, element: Element) => {
      const action_item_type = element.getAttribute('data-item-type') ?? types.get(action_item);
      track({ ...originOf(list), event_type, action_item, ...(action_item_type && { action_item_type }) });
    };
    const isSearch = list.kind === 'search';
    stops.get(container)?.();
    const stop = watch(container, seenItems, {
      onSeen: tell(isSearch ? 'search_impression' : 'impression'),
      onClicked: tell(isSearch ? 'search_click_on_recommendation' : 'click_on_recommendation'),
    });
    stops.set(container, stop);
    return stop;
  }

  return {
    watch: watchList,
    show(container, list, render) {
      const elements = list.items.map((item) => {
        const element = render(item);
        element.setAttribute('data-item', item.item_id);
        /** Items of two types may have one id. */
        const itemType = element.getAttribute('data-item-type') ?? item.item_type;
        if (itemType) element.setAttribute('data-item-type', itemType);
        return element;
      });
      container.replaceChildren(...elements);
      return watchList(container, list);
    },
  };
}

function originOf({ kind, list_name, request_id, user_group, version, ...list }: List) {
  const { page_type, context_item, context_item_type } = list;
  const search = { list_name, request_id, page_type };
  return kind === 'search' ? search : { ...search, user_group, version, context_item, context_item_type };
}
