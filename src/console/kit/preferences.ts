/** Preferences of this browser; nothing is stored before one is changed. */

import { useLocalStorage } from '@mantine/hooks';

export function usePreference<Value>(key: string, usual: Value): [Value, (value: Value) => void] {
  const [value = usual, set] = useLocalStorage<Value | undefined>({ key, getInitialValueInEffect: false });
  return [value, set];
}

/** Whether tables and spacing are dense. */
export const useDense = () => usePreference('dense', false);

/** Whether single keys do nothing, for screen readers and speech input. */
export const useKeysOff = () => usePreference('single keys off', false);
