/**
 * Detects impressions and clicks of a list. Items are elements with `data-item="ITEM_ID"` below the list's element, including
 * later ones. An impression is half of an item in view for a second on a visible page, once for each list.
 */

export type Watched = {
  onSeen(itemId: string, element: Element): void;
  onClicked(itemId: string, element: Element): void;
};

const seenShare = 0.5;
const seenMs = 1_000;

/**
 * Returns how to stop.
 *
 * @param seen Types and ids of the items that were seen already; those that are seen now are added.
 */
export function watch(container: Element, seen: Set<string>, { onSeen, onClicked }: Watched): () => void {
  const inView = new Set<Element>();
  const { begin, end } = createViewTimers((element) => {
    const itemId = itemOf(element);
    const key = `${element.getAttribute('data-item-type') ?? ''} ${itemId}`;
    if (itemId === undefined || seen.has(key)) return;
    seen.add(key);
    onSeen(itemId, element);
  });

  const intersections = new IntersectionObserver(
    (entries) => {
      for (const { target, intersectionRatio } of entries) {
        if (intersectionRatio >= seenShare) begin(add(inView, target));
        else end(remove(inView, target));
      }
    },
    { threshold: seenShare },
  );
  /** The browser reports removed elements as out of view. */
  const observeItems = () => {
    for (const element of container.querySelectorAll('[data-item]')) intersections.observe(element);
  };
  /** Frameworks put another item into an element that is there already; it was not in view before. */
  const renewItems = (records: MutationRecord[]) => {
    for (const { type, target, oldValue } of records) {
      const element = target as Element;
      if (type !== 'attributes' || element.getAttribute('data-item') === oldValue) continue;
      end(element);
      if (inView.has(element)) begin(element);
    }
    observeItems();
  };
  const mutations = new MutationObserver(renewItems);
  const onVisibility = () => {
    for (const element of inView) (document.visibilityState === 'visible' ? begin : end)(element);
  };
  /** The middle button opens an item too. */
  const onClick = (event: Event) => {
    const element = (event.target as Element).closest?.('[data-item]');
    const isClick = event.type === 'click' || (event as MouseEvent).button === 1;
    const itemId = element && container.contains(element) && isClick ? itemOf(element) : undefined;
    if (itemId !== undefined) onClicked(itemId, element!);
  };

  observeItems();
  mutations.observe(container, {
    childList: true,
    subtree: true,
    attributeFilter: ['data-item'],
    attributeOldValue: true,
  });
  document.addEventListener('visibilitychange', onVisibility);
  /** Before the item's own listeners: these may put another page in its place. */
  for (const type of ['click', 'auxclick']) container.addEventListener(type, onClick, true);
  return () => {
    intersections.disconnect();
    mutations.disconnect();
    for (const element of inView) end(element);
    document.removeEventListener('visibilitychange', onVisibility);
    for (const type of ['click', 'auxclick']) container.removeEventListener(type, onClick, true);
  };
}

/** Calls `onSeen` when an element was in view for long enough while the page was visible. */
function createViewTimers(onSeen: (element: Element) => void) {
  const timers = new Map<Element, ReturnType<typeof setTimeout>>();
  return {
    begin(element: Element): void {
      if (document.visibilityState !== 'visible' || timers.has(element)) return;
      timers.set(
        element,
        setTimeout(() => onSeen(element), seenMs),
      );
    },
    end(element: Element): void {
      clearTimeout(timers.get(element));
      timers.delete(element);
    },
  };
}

function itemOf(element: Element): string | undefined {
  return element.getAttribute('data-item') ?? undefined;
}

function add(elements: Set<Element>, element: Element): Element {
  elements.add(element);
  return element;
}

function remove(elements: Set<Element>, element: Element): Element {
  elements.delete(element);
  return element;
}
