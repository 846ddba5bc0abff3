import { useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';

const pauseMs = 150;

/** State of a text field with suggestions below it. `wanted` is the text to search for, after a pause in typing. */
export function useTypeahead() {
  const store = useCombobox({ onDropdownClose: () => store.resetSelectedOption() });
  const [text, setText] = useState('');
  const [wanted] = useDebouncedValue(text.trim(), pauseMs);
  return {
    store,
    text,
    setText,
    wanted,
    isTyping: wanted !== text.trim(),
    inputProps: {
      value: text,
      onChange(event: { currentTarget: { value: string } }) {
        setText(event.currentTarget.value);
        store.openDropdown();
        store.updateSelectedOptionIndex();
      },
      onFocus: () => store.openDropdown(),
      onBlur: () => store.closeDropdown(),
    },
  };
}
