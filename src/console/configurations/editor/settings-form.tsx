import {
  Group,
  MultiSelect,
  NumberInput,
  Select,
  SimpleGrid,
  TextInput,
  Title,
  UnstyledButton,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import type { Document, Json, JsonObject } from '../../grammar/document.ts';
import { useProperties } from '../../grammar/properties.ts';
import { searchRulesOf } from '../../grammar/search-rules.ts';
import { CheckField, TextField, useEmptied } from '../../kit/fields.tsx';
import { OpenArrow } from '../../kit/icons.ts';
import { Hint } from '../../kit/page.tsx';
import { useConsole } from '../../service/console-context.ts';
import { t } from '../../texts/texts.ts';
import { lastMoment, localText, withOffset } from './local-times.ts';

type SettingsFormProps = { document: Document; onChange(document: Document): void };

/** By the group that they are members of; `most` is the largest value. */
const fields: [group: string, name: string, label: string, hint: string, most?: number][] = [
  ['freshness', 'maximum_age_hours', t('Maximum age'), t('hours since publication')],
  ['freshness', 'half_life_hours', t('Half-life'), t('hours until relevance halves')],
  [
    'fatigue',
    'maximum_impressions',
    t('Maximum impressions'),
    t('without a click; then the item pauses'),
    100,
  ],
  ['fatigue', 'window_hours', t('Impression window'), t('hours; older impressions expire')],
  ['rotation', 'rate', t('Rotation'), t('0 to 1: share of the list that changes'), 1],
  ['rotation', 'period_minutes', t('Rotation period'), t('minutes; 0 for every request'), 10_080],
  [
    'calibration',
    'strength',
    t('Mix of interests'),
    t('0 to 1: follow the visitor’s categories [learnt]'),
    1,
  ],
];

const schedule = { active_from: t('Starts'), active_until: t('Ends') };
const hints = {
  active_from: t('Leave empty to start when published'),
  active_until: t('Leave empty for no end date'),
};

const purposes = [
  { value: 'similar', label: t('Interests and similar items') },
  { value: 'bought_together', label: t('Bought together with the page item') },
  { value: 'complete_basket', label: t('Complete the basket') },
  { value: 'continue', label: t('Unfinished items first') },
];

const settings = [
  ...fields.map(([group]) => group),
  ...[
    ...Object.keys(schedule),
    'stock_budget',
    'purpose',
    'allow_duplicates',
    'name',
    'description',
    'environments',
  ],
];

/** Schedule, freshness, fatigue, rotation, calibration and repetition. */
export function SettingsForm({ document, onChange }: SettingsFormProps) {
  const [isOpen, opening] = useDisclosure(settings.some((name) => document[name] !== undefined));
  const title = t('Settings and schedule');
  return (
    <section aria-label={title}>
      <UnstyledButton onClick={opening.toggle} aria-expanded={isOpen}>
        <Group gap={6}>
          <OpenArrow isOpen={isOpen} size={15} />
          <Title order={2}>{title}</Title>
        </Group>
      </UnstyledButton>
      {isOpen && <Fields document={document} onChange={onChange} />}
    </section>
  );
}

function Fields({ document, onChange }: SettingsFormProps) {
  const { timeZone } = useConsole().environment;
  const set: SetMember = (name, value) => {
    const { [name]: _, ...others } = document;
    onChange(value === undefined ? others : { ...document, [name]: value });
  };
  return (
    <>
      <Belonging document={document} set={set} />
      <SimpleGrid cols={{ base: 1, xs: 2 }} mt="sm" spacing="sm">
        {(['active_from', 'active_until'] as const).map((name) => (
          <MomentField
            key={name}
            label={schedule[name]}
            hint={hints[name]}
            value={document[name] as string | undefined}
            onChange={(value) => set(name, value)}
          />
        ))}
      </SimpleGrid>
      {!searchRulesOf(document) && <ListSettings document={document} set={set} />}
      <Hint mt="xs">
        {t('Times are in the time zone {timeZone} and stored with its offset.', { timeZone })}
      </Hint>
    </>
  );
}

type SetMember = (name: string, value: Json | undefined) => void;

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

/** Name and description for people, and the environments that may use the rule set. */
function Belonging({ document, set }: { document: Document; set: SetMember }) {
  const { environments } = useConsole();
  const chosen = Array.isArray(document.environments) ? document.environments.map(String) : [];
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} mt="sm" spacing="sm">
      <TextField
        label={t('Name')}
        description={t('Shown in lists, beside the ID')}
        maxLength={200}
        value={textOf(document.name)}
        onChange={(text) => set('name', text || undefined)}
      />
      <TextField
        label={t('Description')}
        description={t('What it is for')}
        maxLength={2000}
        value={textOf(document.description)}
        onChange={(text) => set('description', text || undefined)}
      />
      {environments.length > 1 && (
        <MultiSelect
          label={t('Belongs to')}
          description={t('Other environments do not see or use it')}
          placeholder={chosen.length > 0 ? '' : t('all environments')}
          data={environments.map(({ name }) => name)}
          value={chosen}
          onChange={(names) => set('environments', names.length > 0 ? names : undefined)}
        />
      )}
    </SimpleGrid>
  );
}

function ListSettings({ document, set }: { document: Document; set: SetMember }) {
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }} mt="sm" spacing="sm">
        {fields.map(([group, name, label, hint, most]) => {
          const { [name]: value, ...others } = (document[group] ?? {}) as JsonObject;
          return (
            <NumberInput
              key={name}
              label={label}
              description={hint}
              min={0}
              max={most}
              value={typeof value === 'number' ? value : ''}
              onChange={(typed) => {
                const next = typeof typed === 'number' ? { ...others, [name]: typed } : others;
                set(group, Object.keys(next).length > 0 ? next : undefined);
              }}
            />
          );
        })}
        <Select
          label={t('Purpose')}
          description={t('what the lists show')}
          placeholder={t('As the page type')}
          data={purposes}
          value={typeof document.purpose === 'string' ? document.purpose : null}
          onChange={(purpose) => set('purpose', purpose ?? undefined)}
          clearable
        />
        <StockBudget document={document} set={set} />
      </SimpleGrid>
      <CheckField
        mt="md"
        label={t('Allow items of the request’s other lists')}
        checked={document.allow_duplicates === true}
        onChange={(isOn) => set('allow_duplicates', isOn || undefined)}
      />
    </>
  );
}

const usualImpressionsPerUnit = 100;

/** Leaves out items that had as many impressions today as their stock can serve. */
function StockBudget({ document, set }: { document: Document; set: SetMember }) {
  const numbers = useProperties('everywhere').filter(({ type }) => type === 'number');
  const budget = document.stock_budget as JsonObject | undefined;
  const { property = null, impressions_per_unit: impressions = '' } = budget ?? {};
  const names = [...numbers.map(({ key }) => key), property].filter((name) => typeof name === 'string');
  const field = useEmptied<number | string>(impressions as number, (next) => {
    if (Number(next) > 0) set('stock_budget', { ...budget, impressions_per_unit: Number(next) });
  });
  return (
    <>
      <Select
        label={t('Stock')}
        description={t('property with the units in stock; items pause when too few are left')}
        placeholder={names.length > 0 ? t('Not considered') : t('The deployment declares no number')}
        data={[...new Set(names)]}
        value={property as string | null}
        onChange={(next) =>
          set(
            'stock_budget',
            next ? { impressions_per_unit: usualImpressionsPerUnit, ...budget, property: next } : undefined,
          )
        }
        clearable
      />
      {budget && (
        <NumberInput
          {...field}
          label={t('Impressions per unit')}
          description={t('a day, for each unit in stock')}
          max={1_000_000}
        />
      )}
    </>
  );
}

type MomentFieldProps = {
  label: string;
  hint: string;
  value?: string;
  onChange(value: string | undefined): void;
};

/** Moment in the environment's time zone. Shows typed text as it is, because a year is typed digit by digit. */
export function MomentField({ label, hint, value, onChange }: MomentFieldProps) {
  const { timeZone } = useConsole().environment;
  const [typed, setTyped] = useState('');
  const isTyped = typed !== '' && withOffset(typed, timeZone) === value;
  return (
    <TextInput
      type="datetime-local"
      max={lastMoment}
      label={label}
      description={hint}
      value={isTyped ? typed : value ? localText(value, timeZone) : ''}
      onChange={({ currentTarget: { value: next } }) => {
        setTyped(next);
        onChange(next ? withOffset(next, timeZone) : undefined);
      }}
    />
  );
}
