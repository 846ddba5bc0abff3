/** Stores queued events in the browser's storage. Each page has an entry and takes over the entries of closed pages. */

export type EventStore<Entry> = {
  save(entries: readonly Entry[]): void;
  /** Returns the entries of other pages. A page that is still open sends them too, and IDs deduplicate them. */
  adopt(): Entry[];
  /** Forgets what all pages left. */
  clear(): void;
};

/** @param name Of the client among others of the site. */
export function createEventStore<Entry>(name: string, pageId: string): EventStore<Entry> {
  const prefix = `personalisation:${name}:`;
  const key = prefix + pageId;
  const keysOf = (storage: Storage) => Object.keys(storage).filter((left) => left.startsWith(prefix));
  return {
    save(entries) {
      withStorage((storage) => {
        if (entries.length > 0) storage.setItem(key, JSON.stringify(entries));
        else storage.removeItem(key);
      });
    },
    adopt() {
      const adopted: Entry[] = [];
      withStorage((storage) => {
        for (const left of keysOf(storage).filter((other) => other !== key)) {
          const text = storage.getItem(left);
          storage.removeItem(left);
          adopted.push(...(JSON.parse(text ?? '[]') as Entry[]));
        }
      });
      return adopted;
    },
    clear() {
      withStorage((storage) => {
        for (const left of keysOf(storage)) storage.removeItem(left);
      });
    },
  };
}

/** A browser may have none, or refuse it, or be full; events then live as long as their page. */
export function withStorage(use: (storage: Storage) => void): void {
  try {
    use(localStorage);
  } catch {
    // Nothing is lost but what a page cannot send before it ends.
  }
}
