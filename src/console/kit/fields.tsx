/** Inputs and small buttons. */

import {
  ActionIcon,
  Button,
  type ButtonProps,
  SegmentedControl,
  Textarea,
  type TextareaProps,
  TextInput,
  type TextInputProps,
} from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useAddress } from '../service/address.ts';
import { t } from '../texts/texts.ts';
import { Plus, X } from './icons.ts';

/** Input for JSON, without line wrapping. */
export function JsonField(props: TextareaProps) {
  return <Textarea autosize spellCheck={false} classNames={{ input: 'json' }} {...props} />;
}

const usualPauseMs = 300;

type LateInputProps = Omit<TextInputProps, 'value' | 'onChange'> & {
  value: string;
  onChange(value: string): void;
  /** Wait after the last key [300]. */
  pauseMs?: number;
};

/** Text input that reports its value after a pause, on blur or on Enter: not every key changes the address. */
export function LateInput({ value, onChange, pauseMs = usualPauseMs, ...rest }: LateInputProps) {
  const [typed, setTyped] = useState(value);
  const reported = useRef(value);
  const report = useDebouncedCallback((next: string) => {
    reported.current = next.trim();
    onChange(reported.current);
  }, pauseMs);
  /** A link or a button may set another value. */
  useEffect(() => {
    if (value === reported.current) return;
    reported.current = value;
    setTyped(value);
  }, [value]);
  return (
    <TextInput
      {...rest}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        report(event.currentTarget.value);
      }}
      onBlur={() => report.flush()}
      onKeyDown={(event) => event.key === 'Enter' && report.flush()}
    />
  );
}

/** State of a field with a default: it can be emptied to type another value, and shows the default again on blur. */
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

/** @param name What it removes. */
export function RemoveButton({ name, onClick }: { name: string; onClick(): void }) {
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size={34}
      aria-label={t('Remove {name}', { name })}
      onClick={onClick}
    >
      <X size={15} aria-hidden />
    </ActionIcon>
  );
}

export function AddButton(props: ButtonProps & { onClick(): void; children: ReactNode }) {
  const icon = <Plus size={13} aria-hidden />;
  return (
    <Button variant="default" size="xs" leftSection={icon} style={{ alignSelf: 'flex-start' }} {...props} />
  );
}

type View = { value: string; label: string };

/** Switch between the views of a page; the address holds the view, the first one by default. */
export function ViewSwitch({ views }: { views: readonly View[] }) {
  const { values, set } = useAddress<'view'>();
  if (views.length < 2) return null;
  return (
    <SegmentedControl
      aria-label={t('View')}
      mb="lg"
      data={[...views]}
      value={views.find(({ value }) => value === values.view)?.value ?? views[0].value}
      onChange={(view) => set({ view: view === views[0].value ? '' : view }, true)}
    />
  );
}
