import { NumberInput, Select, SimpleGrid, TagsInput, Textarea, TextInput } from '@mantine/core';
import type { Json, JsonObject } from '../grammar/document.ts';
import type { PropertyType } from '../grammar/properties.ts';
import { keyWords } from '../grammar/words.ts';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';

const fields: [key: string, type: PropertyType][] = [
  ['title', 'string'],
  ['description', 'text'],
  ['categories', 'string[]'],
  ['tags', 'string[]'],
];

type ItemFormProps = {
  itemType: string;
  document: JsonObject;
  isReadOnly: boolean;
  onChange(document: JsonObject): void;
};

/** Fields of the item and the declared properties of its type; an emptied field is removed. */
export function ItemForm({ itemType, document, isReadOnly, onChange }: ItemFormProps) {
  const { environment } = useConsole();
  const declared = environment.itemTypes.find(({ name }) => name === itemType)?.properties ?? [];
  const known = new Set(fields.map(([key]) => key));
  const others = declared.filter(({ name }) => !known.has(name));
  const set = (key: string, value: Json | undefined) => {
    const { [key]: _, ...rest } = document;
    onChange(value === undefined ? rest : { ...document, [key]: value });
  };
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" mb="md" role="group" aria-label={t('Properties')}>
      {[...fields, ...others.map(({ name, type }) => [name, type as PropertyType] as const)].map(
        ([key, type]) => (
          <Field
            key={key}
            label={keyWords(key)}
            type={type}
            value={document[key]}
            isReadOnly={isReadOnly}
            onChange={(value) => set(key, value)}
          />
        ),
      )}
    </SimpleGrid>
  );
}

type FieldProps = {
  label: string;
  type: PropertyType;
  value: Json | undefined;
  isReadOnly: boolean;
  onChange(value: Json | undefined): void;
};

function Field({ label, type, value, isReadOnly, onChange }: FieldProps) {
  const common = { label: label[0].toUpperCase() + label.slice(1), readOnly: isReadOnly };
  const text = typeof value === 'string' ? value : '';
  if (type === 'number')
    return (
      <NumberInput
        {...common}
        value={typeof value === 'number' ? value : ''}
        onChange={(next) => onChange(typeof next === 'number' ? next : undefined)}
      />
    );
  if (type === 'boolean')
    return (
      <Select
        {...common}
        data={[
          { value: 'true', label: t('Yes') },
          { value: 'false', label: t('No') },
        ]}
        value={typeof value === 'boolean' ? String(value) : null}
        onChange={(next) => onChange(next === null ? undefined : next === 'true')}
        clearable={!isReadOnly}
      />
    );
  if (type === 'string[]')
    return (
      <TagsInput
        {...common}
        value={Array.isArray(value) ? value.map(String) : []}
        onChange={(next) => onChange(next.length > 0 ? next : undefined)}
      />
    );
  if (type === 'text')
    return (
      <Textarea
        {...common}
        autosize
        maxRows={6}
        value={text}
        onChange={(event) => onChange(event.currentTarget.value || undefined)}
      />
    );
  return (
    <TextInput
      {...common}
      value={text}
      onChange={(event) => onChange(event.currentTarget.value || undefined)}
    />
  );
}
