import { NumberInput, Select, SimpleGrid, TagsInput } from '@mantine/core';
import { useSessionStorage } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { type Json, type JsonObject, print } from '../grammar/document.ts';
import type { PropertyType } from '../grammar/properties.ts';
import { keyWords } from '../grammar/words.ts';
import { JsonField, TextArea, TextField } from '../kit/fields.tsx';
import { type ItemName, itemKey } from '../kit/item-names.ts';
import { useLeaveGuard } from '../kit/leaving.tsx';
import { ErrorNotice, Section } from '../kit/page.tsx';
import { OutdatedNotice, SaveButtons } from '../kit/saving.tsx';
import { readObject } from '../kit/variables.ts';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';
import { useSaveItem } from './queries.ts';

type DocumentEditorProps = {
  name: ItemName;
  stored: { document: JsonObject; etag?: number };
  isReadOnly: boolean;
};

/** Typed text, and the stored text that it started from. */
type Typed = { text: string; base: string };

/** Editor of the item: a form of its properties, and its JSON. */
export function DocumentEditor({ name, stored, isReadOnly }: DocumentEditorProps) {
  const printed = print(stored.document);
  const { environment } = useConsole();
  /** Survives a reload and visits of other pages, as drafts of rule sets do. */
  const [typed, setTyped] = useSessionStorage<Typed | null>({
    key: `item ${environment.name} ${itemKey(name)}`,
    defaultValue: null,
    getInitialValueInEffect: false,
  });
  const save = useSaveItem(name);
  /** Typing that was taken back is no change. */
  const shown = typed && typed.text !== typed.base ? typed.text : printed;
  const isChanged = shown !== printed;
  useLeaveGuard(isChanged && !isReadOnly);
  const read = readObject(shown);
  const { fault } = read;
  const type = (text: string) => setTyped({ text, base: typed?.base ?? printed });
  const isOutdated = isChanged && typed?.base !== printed && !save.isPending;
  const send = () =>
    save.mutate(
      { document: JSON.parse(shown), etag: stored.etag },
      {
        onSuccess() {
          setTyped(null);
          notifications.show({ message: t('Item saved.'), color: 'green' });
        },
      },
    );
  const discard = () => {
    setTyped(null);
    save.reset();
  };
  return (
    <Section
      title={t('Properties')}
      actions={
        !isReadOnly && (
          <SaveButtons
            isChanged={isChanged}
            isSound={fault === undefined}
            isSaving={save.isPending}
            onDiscard={discard}
            onSave={send}
          />
        )
      }
    >
      {isOutdated && <OutdatedNotice of="item" />}
      {save.error && !isOutdated && <ErrorNotice error={save.error} />}
      {read.document && (
        <ItemForm
          itemType={name.itemType}
          document={read.document}
          isReadOnly={isReadOnly || save.isPending}
          onChange={(document) => type(print(document))}
        />
      )}
      <JsonField
        aria-label={t('Item JSON')}
        minRows={10}
        maxRows={32}
        readOnly={isReadOnly || save.isPending}
        value={shown}
        error={fault}
        onChange={type}
      />
    </Section>
  );
}

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
function ItemForm({ itemType, document, isReadOnly, onChange }: ItemFormProps) {
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
    return <TextArea {...common} maxRows={6} value={text} onChange={(text) => onChange(text || undefined)} />;
  return <TextField {...common} value={text} onChange={(text) => onChange(text || undefined)} />;
}
