import { useState } from 'react';

/**
 * For a field whose usual value stands in for none: it can be emptied to type something else, and shows the usual value when
 * one leaves it.
 */
export function useEmptied<Value>(value: Value, onChange: (value: Value | '') => void) {
  const [isEmpty, setEmpty] = useState(false);
  return {
    value: isEmpty ? ('' as const) : value,
    onChange(next: Value | '') {
      setEmpty(next === '');
      onChange(next);
    },
    onBlur: () => setEmpty(false),
  };
}
