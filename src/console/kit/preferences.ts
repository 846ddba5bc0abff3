/** Preferences of this browser; nothing is stored before one is changed. */

import { useLocalStorage } from '@mantine/hooks';

export function usePreference(key: string): [boolean, (value: boolean) => void] {
  const [value = false, set] = useLocalStorage<boolean | undefined>({ key, getInitialValueInEffect: false });
  return [value, set];
}

/** Whether tables and spacing are dense. */
export const useDense = () => usePreference('dense');

/** Whether single keys do nothing, for screen readers and speech input. */
export const useKeysOff = () => usePreference('single keys off');
