import { TextInput, type TextInputProps } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';

const typingMs = 300;

type LateInputProps = Omit<TextInputProps, 'value' | 'onChange'> & {
  value: string;
  onChange(value: string): void;
};

/** A text that is told when one stops typing, leaves it or presses Enter: an address is not rewritten by each letter. */
export function LateInput({ value, onChange, ...rest }: LateInputProps) {
  const [typed, setTyped] = useState(value);
  const tell = useDebouncedCallback((next: string) => onChange(next.trim()), typingMs);
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
