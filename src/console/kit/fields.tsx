/** Inputs and small buttons. */

import {
  ActionIcon,
  Button,
  type ButtonProps,
  Checkbox,
  type CheckboxProps,
  NumberInput,
  type NumberInputProps,
  Pill,
  type PillProps,
  SegmentedControl,
  type SegmentedControlProps,
  Switch,
  type SwitchProps,
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

/** Properties of a field that reports its value. */
type Valued<Props, Value> = Omit<Props, 'onChange'> & { onChange(value: Value): void };

export const TextField = ({ onChange, ...rest }: Valued<TextInputProps, string>) => (
  <TextInput {...rest} onChange={(event) => onChange(event.currentTarget.value)} />
);

export const TextArea = ({ onChange, ...rest }: Valued<TextareaProps, string>) => (
  <Textarea autosize {...rest} onChange={(event) => onChange(event.currentTarget.value)} />
);

export const CheckField = ({ onChange, ...rest }: Valued<CheckboxProps, boolean>) => (
  <Checkbox {...rest} onChange={(event) => onChange(event.currentTarget.checked)} />
);

export const SwitchField = ({ onChange, ...rest }: Valued<SwitchProps, boolean>) => (
  <Switch {...rest} onChange={(event) => onChange(event.currentTarget.checked)} />
);

/** Reports whole numbers, and nothing while the field is empty. */
export const CountField = ({ onChange, ...rest }: Valued<NumberInputProps, number>) => (
  <NumberInput
    allowDecimal={false}
    {...rest}
    onChange={(value) => typeof value === 'number' && onChange(value)}
  />
);

/** Input for JSON, without line wrapping. */
export const JsonField = (props: Valued<TextareaProps, string>) => (
  <TextArea spellCheck={false} classNames={{ input: 'json' }} {...props} />
);

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
    <TextField
      {...rest}
      value={typed}
      onChange={(next) => {
        setTyped(next);
        report(next);
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

type RemovablePillProps = PillProps & { name: string; onRemove(): void };

/** Pill whose button the keyboard reaches, too. @param name What it removes. */
export const RemovablePill = ({ name, children, ...rest }: RemovablePillProps) => (
  <Pill
    withRemoveButton
    removeButtonProps={{ 'aria-label': t('Remove {name}', { name }), tabIndex: 0, 'aria-hidden': false }}
    {...rest}
  >
    {children}
  </Pill>
);

export function AddButton(props: ButtonProps & { onClick(): void; children: ReactNode }) {
  const icon = <Plus size={13} />;
  return <Button size="xs" leftSection={icon} style={{ alignSelf: 'flex-start' }} {...props} />;
}

/** Options of a field, by value. */
export const optionsOf = <Value extends string>(labels: Partial<Record<Value, string>>) =>
  Object.entries(labels).map(([value, label]) => ({ value: value as Value, label: String(label) }));

type ChoiceProps<Value extends string> = Omit<SegmentedControlProps, 'data' | 'value' | 'onChange'> & {
  labels: Partial<Record<Value, string>>;
  value: Value | '';
  onChange(value: Value): void;
};

/** One of few values. */
export const Choice = <Value extends string>({ labels, onChange, ...rest }: ChoiceProps<Value>) => (
  <SegmentedControl {...rest} data={optionsOf(labels)} onChange={(next) => onChange(next as Value)} />
);

/** Switch between the views of a page; the address holds the view, the first one by default. */
export function ViewSwitch({ views }: { views: Readonly<Record<string, string>> }) {
  const { values, set } = useAddress<'view'>();
  const [first, ...others] = Object.keys(views);
  if (others.length === 0) return null;
  return (
    <Choice
      aria-label={t('View')}
      mb="lg"
      labels={views}
      value={others.find((view) => view === values.view) ?? first}
      onChange={(view) => set({ view: view === first ? '' : view }, true)}
    />
  );
}
