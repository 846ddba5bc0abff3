import { NumberInput, Select, SimpleGrid, TextInput } from '@mantine/core';
import type { JsonObject } from '../grammar/document.ts';
import { useRuleSets } from '../kit/rule-sets.ts';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';
import { contentOf, contents, forEachWords, viewedItem, withContent } from './rows.ts';

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

/** Fields of the page itself. */
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

/** Declared properties of strings. */
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
