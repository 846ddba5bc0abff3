/** View state in the address, so that views can be shared and restored. */

import { useCallback, useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';
import { useBrowserLocation, useSearch as useBrowserSearch } from 'wouter/use-browser-location';
import { mayLeave } from './leaving.ts';
import { settings } from './settings.ts';

/**
 * The router decodes the whole path before pages decode each segment. An escaped `%` belongs to an ID, so it is escaped twice
 * to survive the first decoding.
 */
const keepPercent = (text: string): string => text.replaceAll('%25', '%2525');

function useExactLocation(): ReturnType<typeof useBrowserLocation> {
  const [path, navigate] = useBrowserLocation();
  const guarded: typeof navigate = useCallback(
    (to, options) => {
      const leave = () => navigate(to, options);
      if (mayLeave(String(to).split('?')[0], leave)) leave();
    },
    [navigate],
  );
  return [keepPercent(path), guarded];
}

const useExactSearch = (): string => keepPercent(useBrowserSearch());

/** Hooks through which the router reads the address. */
export const exactAddress = { hook: useExactLocation, searchHook: useExactSearch };

export type Address<Key extends string> = {
  values: Partial<Record<Key, string>>;
  /** Undefined or '' removes a value. Replaces the history entry unless `push`. */
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
      const path = location.pathname.slice(`${settings.prefix}/console`.length);
      navigate(text ? `${path}?${text}` : path, { replace: !push });
    },
    [navigate],
  );
  return { values, set };
}
