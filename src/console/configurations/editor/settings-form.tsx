import {
  Checkbox,
  Collapse,
  Group,
  NumberInput,
  SimpleGrid,
  Text,
  TextInput,
  Title,
  UnstyledButton,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { useState } from 'react';
import type { Document, Json, JsonObject } from '../../grammar/document.ts';
import { searchRulesOf } from '../../grammar/search-rules.ts';
import { text } from './text.ts';

type SettingsFormProps = { document: Document; onChange(document: Document): void };

const groups = ['freshness', 'fatigue', 'rotation'] as const;
const scheduled = ['active_from', 'active_until'] as const;

/** Freshness, fatigue, rotation, repetition, and when the version is in force. */
export function SettingsForm({ document, onChange }: SettingsFormProps) {
  const isUsed = [...groups, ...scheduled, 'allow_duplicates'].some((name) => document[name] !== undefined);
  const [isOpen, opening] = useDisclosure(isUsed);
  return (
    <section aria-label={text.settings}>
      <UnstyledButton onClick={opening.toggle} aria-expanded={isOpen}>
        <Group gap={6}>
          {isOpen ? <ChevronDown size={15} aria-hidden /> : <ChevronRight size={15} aria-hidden />}
          <Title order={2}>{text.settings}</Title>
        </Group>
      </UnstyledButton>
      <Collapse expanded={isOpen} transitionDuration={0}>
        {isOpen && <Fields document={document} onChange={onChange} />}
      </Collapse>
    </section>
  );
}

function Fields({ document, onChange }: SettingsFormProps) {
  const set: SetMember = (name, value) => {
    const { [name]: _, ...others } = document;
    onChange(value === undefined ? others : { ...document, [name]: value });
  };
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }} mt="sm" spacing="sm">
        {scheduled.map((name) => (
          <Moment
            key={name}
            label={name === 'active_from' ? 'In force from' : 'In force until'}
            value={document[name] as string | undefined}
            onChange={(value) => set(name, value)}
          />
        ))}
      </SimpleGrid>
      {!searchRulesOf(document) && <ListSettings document={document} set={set} />}
      <Text size="xs" className="quiet" mt="xs">
        Times are yours; they are kept with their offset.
      </Text>
    </>
  );
}

type SetMember = (name: string, value: Json | undefined) => void;

/** What only lists have. */
function ListSettings({ document, set }: { document: Document; set: SetMember }) {
  const inside = (group: (typeof groups)[number]) => (document[group] ?? {}) as JsonObject;
  const number = (
    group: (typeof groups)[number],
    name: string,
    label: string,
    description: string,
    most?: number,
  ) => (
    <NumberInput
      label={label}
      description={description}
      min={0}
      max={most}
      value={(inside(group)[name] as number | undefined) ?? ''}
      onChange={(value) => {
        const { [name]: _, ...others } = inside(group);
        const next = typeof value === 'number' ? { ...others, [name]: value } : others;
        set(group, Object.keys(next).length > 0 ? next : undefined);
      }}
    />
  );
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }} mt="sm" spacing="sm">
        {number('freshness', 'maximum_age_hours', 'Oldest item', 'hours since publication')}
        {number('freshness', 'half_life_hours', 'Half-life', 'hours; relevance halves with this age')}
        {number(
          'fatigue',
          'maximum_impressions',
          'Shown at most',
          'times without a click; then it rests',
          100,
        )}
        {number('fatigue', 'window_hours', 'Rest after', 'hours; older impressions do not count')}
        {number('rotation', 'rate', 'Rotation', '0 to 1: share of the list that changes', 1)}
        {number('rotation', 'period_minutes', 'Rotates every', 'minutes; 0 for every request', 10_080)}
      </SimpleGrid>
      <Checkbox
        mt="md"
        label="May repeat items of the request’s other lists"
        checked={document.allow_duplicates === true}
        onChange={(event) => set('allow_duplicates', event.currentTarget.checked || undefined)}
      />
    </>
  );
}

type MomentProps = { label: string; value?: string; onChange(value: string | undefined): void };

/** A year has four digits, so that whoever types goes on to the hour behind the fourth. */
const lastMoment = '9999-12-31T23:59';

/** A moment in the reader's own time. What is typed stays as it is: a year passes through those of antiquity. */
function Moment({ label, value, onChange }: MomentProps) {
  const [own, setOwn] = useState('');
  const isOwn = own !== '' && withOffset(new Date(own)) === value;
  return (
    <TextInput
      type="datetime-local"
      max={lastMoment}
      label={label}
      description={label === 'In force from' ? 'absent: when it is published' : 'absent: for good'}
      value={isOwn ? own : value ? toLocal(new Date(value)) : ''}
      onChange={(event) => {
        const { value: typed } = event.currentTarget;
        setOwn(typed);
        onChange(typed ? withOffset(new Date(typed)) : undefined);
      }}
    />
  );
}

const two = (value: number): string => String(value).padStart(2, '0');
const four = (value: number): string => String(value).padStart(4, '0');

function toLocal(date: Date): string {
  const day = `${four(date.getFullYear())}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

function withOffset(date: Date): string {
  const offset = -date.getTimezoneOffset();
  const size = Math.abs(offset);
  return `${toLocal(date)}:00${offset < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}
