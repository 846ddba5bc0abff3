import { NumberInput, Select, SimpleGrid, TextInput } from '@mantine/core';
import type { Template } from '../configurations/editor/rule-lists.tsx';
import type { Json, JsonObject } from '../grammar/document.ts';
import { keyWords } from '../grammar/words.ts';
import { formatCounted } from '../kit/format.ts';
import { useRuleSets } from '../kit/rule-sets.ts';
import { useConsole } from '../service/console-context.ts';
import { t, textOf } from '../texts/texts.ts';

type FieldsProps = { value: JsonObject; onChange(value: JsonObject): void };

/** Fields of a row; `titles` and `limit` are in the JSON alone. */
export function RowFields({ value: row, onChange }: FieldsProps) {
  const ruleSet = String(row.configuration_id ?? '');
  const forEach = String(row.for_each ?? '');
  const segments = [...new Set([viewedItem, 'categories', ...useTextProperties(), forEach])].filter(Boolean);
  const known = useRuleSets().data?.map(({ configurationId }) => configurationId) ?? [];
  const props = { value: row, onChange };
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
      <TextField
        {...props}
        name="title"
        label={t('Title')}
        description={
          forEach &&
          t('{segment} stands for what the row is for.', {
            segment: forEach === viewedItem ? '{item.title}' : '{segment}',
          })
        }
      />
      <TextField
        {...props}
        name="list_name"
        label={t('List name')}
        description={t('Names the row in events and metrics.')}
      />
      <Select
        label={t('Rule set')}
        data={[...new Set([ruleSet, ...known])].filter(Boolean)}
        value={ruleSet || null}
        searchable
        allowDeselect={false}
        nothingFoundMessage={t('No matching rule set.')}
        onChange={(next) => onChange({ ...row, configuration_id: next })}
      />
      <Select
        label={t('Content')}
        data={contents}
        value={contentOf(row)}
        allowDeselect={false}
        onChange={(next) => onChange(withContent(row, next ?? ''))}
      />
      <Select
        label={t('Rows')}
        data={[
          { value: '', label: t('One row') },
          ...segments.map((key) => ({ value: key, label: forEachWords(key) })),
        ]}
        value={forEach}
        searchable
        allowDeselect={false}
        onChange={(next) => onChange(withPart(row, 'for_each', next ?? ''))}
      />
      {forEach && (
        <NumberField {...props} name="maximum_rows" label={t('Most rows')} max={10} placeholder="3" />
      )}
      <NumberField {...props} name="list_size" label={t('Items')} max={100} placeholder="10" />
      <NumberField {...props} name="minimum_items" label={t('Fewest items')} max={100} placeholder="1" />
      <NumberField {...props} name="pinned" label={t('Position')} max={50} placeholder={t('by interest')} />
    </SimpleGrid>
  );
}

export function PageFields(props: FieldsProps) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
      <TextField {...props} name="title" label={t('Internal title')} />
      <NumberField {...props} name="maximum_rows" label={t('Most rows')} max={50} placeholder="10" />
      <NumberField
        {...props}
        name="rows_per_segment"
        label={t('Most rows per segment')}
        max={50}
        placeholder={t('no limit')}
      />
    </SimpleGrid>
  );
}

function useTextProperties(): string[] {
  const declared = useConsole().environment.itemTypes.flatMap(({ properties }) => properties);
  return declared.filter(({ type }) => ['string', 'string[]'].includes(type)).map(({ name }) => name);
}

/** An empty value removes the part. */
function withPart(object: JsonObject, name: string, value: string | number): JsonObject {
  const { [name]: _, ...rest } = object;
  return value === '' ? rest : { ...object, [name]: value };
}

type FieldProps = FieldsProps & { name: string; label: string };

function TextField({ value, onChange, name, ...rest }: FieldProps & { description?: string }) {
  return (
    <TextInput
      {...rest}
      maxLength={256}
      value={String(value[name] ?? '')}
      onChange={(event) => onChange(withPart(value, name, event.currentTarget.value))}
    />
  );
}

function NumberField({ value, onChange, name, ...rest }: FieldProps & { max: number; placeholder: string }) {
  const number = value[name];
  return (
    <NumberInput
      {...rest}
      min={1}
      allowDecimal={false}
      value={typeof number === 'number' ? number : ''}
      onChange={(next) => onChange(withPart(value, name, next))}
    />
  );
}

const viewedItem = 'viewed_item';

/** Contents of a row: values of `order` and `purpose`; '' for recommendations. */
export const contents: { value: string; label: string }[] = [
  { value: '', label: t('Recommendations') },
  { value: 'trending', label: t('Trending items') },
  { value: 'newest', label: t('Newest items') },
  { value: 'continue', label: t('Continue watching') },
  { value: 'similar', label: t('Similar items') },
];

const orders = ['trending', 'newest'];

const contentOf = ({ order, purpose }: JsonObject): string => String(order ?? purpose ?? '');

const withContent = ({ order: _, purpose: __, ...row }: JsonObject, content: string): JsonObject =>
  content === '' ? row : { ...row, [orders.includes(content) ? 'order' : 'purpose']: content };

export const templates: Template<JsonObject>[] = [
  {
    label: t('Recommendations'),
    hint: t('for this visitor'),
    entry: { list_name: 'for-you', title: t('For you') },
  },
  {
    label: t('Trending items'),
    hint: t('clicked and bought most at present'),
    entry: { list_name: 'trending', title: t('Trending'), order: 'trending' },
  },
  {
    label: t('Newest items'),
    hint: t('latest publication first'),
    entry: { list_name: 'new', title: t('New'), order: 'newest' },
  },
  {
    label: t('Because of a viewed item'),
    hint: t('a row per item of the history'),
    entry: {
      ...{
        list_name: 'because',
        title: textOf('Because you viewed {item}').replace('{item}', '{item.title}'),
      },
      ...{ for_each: viewedItem, minimum_items: 3 },
    },
  },
  {
    label: t('Favourite categories'),
    hint: t('a row per category'),
    entry: { list_name: 'categories', title: textOf('Best of {segment}'), for_each: 'categories' },
  },
  {
    label: t('Continue watching'),
    hint: t('unfinished items, next episodes'),
    entry: { list_name: 'continue', title: t('Continue'), purpose: 'continue' },
  },
];

/** Returns a new row with a list name that no other row has. */
export function newRow(template: JsonObject, rows: readonly Json[], configurationId: string): JsonObject {
  const taken = new Set(rows.map((row) => (row as JsonObject | null)?.list_name));
  let name = String(template.list_name);
  for (let number = 2; taken.has(name); number += 1) name = `${template.list_name}-${number}`;
  return { ...template, list_name: name, configuration_id: configurationId };
}

/** Returns the segments that a row is made for each of, e.g. `brand`. */
const forEachWords = (key: string): string =>
  key === viewedItem ? t('A row per viewed item') : t('A row per {property}', { property: keyWords(key) });

const usualItems = 10;

export function rowTexts(row: JsonObject) {
  const { title, list_name, list_size, pinned, for_each } = row;
  const parts = [
    contents.find(({ value }) => value === contentOf(row))?.label,
    typeof for_each === 'string' && forEachWords(for_each),
    formatCounted(typeof list_size === 'number' ? list_size : usualItems, 'item'),
  ];
  return {
    badge: typeof pinned === 'number' ? t('Position {pinned}', { pinned }) : t('By interest'),
    words: String(title || list_name || ''),
    note: parts.filter(Boolean).join(' · '),
  };
}
