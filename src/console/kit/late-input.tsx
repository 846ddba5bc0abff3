import { TextInput, type TextInputProps } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';

const usualPauseMs = 300;

type LateInputProps = Omit<TextInputProps, 'value' | 'onChange'> & {
  value: string;
  onChange(value: string): void;
  /** After the last key [300]. */
  pauseMs?: number;
};

/** A text that is told when one stops typing, leaves it or presses Enter: an address is not rewritten by each letter. */
export function LateInput({ value, onChange, pauseMs = usualPauseMs, ...rest }: LateInputProps) {
  const [typed, setTyped] = useState(value);
  const told = useRef(value);
  const tell = useDebouncedCallback((next: string) => {
    told.current = next.trim();
    onChange(told.current);
  }, pauseMs);
  /** A link, or a button beside it, may have set another value. */
  useEffect(() => {
    if (value === told.current) return;
    told.current = value;
    setTyped(value);
  }, [value]);
  return (
    <TextInput
      {...rest}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        tell(event.currentTarget.value);
      }}
      onBlur={() => tell.flush()}
      onKeyDown={(event) => event.key === 'Enter' && tell.flush()}
    />
  );
}
