import { Alert, Button, Group } from '@mantine/core';
import { useSessionStorage } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { type JsonObject, print } from '../grammar/document.ts';
import { JsonField } from '../kit/fields.tsx';
import { type ItemName, itemKey } from '../kit/item-names.ts';
import { useLeaveGuard } from '../kit/leaving.tsx';
import { ErrorNotice, Section } from '../kit/page.tsx';
import { useConsole } from '../service/console-context.ts';
import { type Text, t } from '../texts/texts.ts';
import { ItemForm } from './item-form.tsx';
import { useSaveItem } from './queries.ts';

type DocumentEditorProps = {
  name: ItemName;
  stored: { document: JsonObject; etag?: number };
  isReadOnly: boolean;
};

const outdated: Text =
  'Another user has saved this item since you started. Discard shows their version; Save replaces it.';

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
  const read = readJson(shown);
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
  const buttons = (
    <Group gap="xs">
      <Button variant="default" size="xs" disabled={!isChanged} onClick={discard}>
        {t('Discard')}
      </Button>
      <Button size="xs" disabled={!isChanged || fault !== undefined} loading={save.isPending} onClick={send}>
        {t('Save')}
      </Button>
    </Group>
  );
  return (
    <Section title={t('Properties')} actions={!isReadOnly && buttons}>
      {isOutdated && (
        <Alert color="orange" mb="sm" role="alert">
          {t(outdated)}
        </Alert>
      )}
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
        onChange={(event) => type(event.currentTarget.value)}
      />
    </Section>
  );
}

function readJson(text: string): { document?: JsonObject; fault?: string } {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === 'object' && json !== null && !Array.isArray(json)
      ? { document: json as JsonObject }
      : { fault: t('Must be a JSON object.') };
  } catch (error) {
    return { fault: (error as Error).message };
  }
}
