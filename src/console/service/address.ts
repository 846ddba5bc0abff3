/** State that lives in the address, so that a view can be shared and comes back as it was. */

import { useCallback, useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';
import { useBrowserLocation, useSearch as useBrowserSearch } from 'wouter/use-browser-location';

/**
 * The router takes escapes out of what it is told before pages take out those of each part; but an escaped `%` is part of an
 * id, and what follows it no escape. So it is escaped once more here.
 */
const keepPercent = (text: string): string => text.replaceAll('%25', '%2525');

function useExactLocation(): ReturnType<typeof useBrowserLocation> {
  const [path, navigate] = useBrowserLocation();
  return [keepPercent(path), navigate];
}

const useExactSearch = (): string => keepPercent(useBrowserSearch());

/** How the router learns of the address. */
export const exactAddress = { hook: useExactLocation, searchHook: useExactSearch };

export type Address<Key extends string> = {
  values: Partial<Record<Key, string>>;
  /** Undefined or '' takes a value out. Replaces the address unless `push`. */
  set(changes: Partial<Record<Key, string | undefined>>, push?: boolean): void;
};

export function useAddress<Key extends string>(): Address<Key> {
  const search = useSearch();
  const [, navigate] = useLocation();
  const values = useMemo(
    () => Object.fromEntries(new URLSearchParams(search)) as Partial<Record<Key, string>>,
    [search],
  );
  const set = useCallback(
    (changes: Partial<Record<Key, string | undefined>>, push = false) => {
      const parameters = new URLSearchParams(location.search);
      for (const [key, value] of Object.entries<string | undefined>(changes)) {
        if (value) parameters.set(key, value);
        else parameters.delete(key);
      }
      const text = parameters.toString();
      const path = location.pathname.slice('/console'.length);
      navigate(text ? `${path}?${text}` : path, { replace: !push });
    },
    [navigate],
  );
  return { values, set };
}
