import { Alert, Button, Group, Paper, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { type JsonObject, print } from '../grammar/document.ts';
import { ErrorNotice } from '../kit/error-notice.tsx';
import type { ItemName } from '../kit/item-key.ts';
import { JsonField } from '../kit/json-field.tsx';
import { useSaveItem } from './queries.ts';
import { text } from './text.ts';

type DocumentEditorProps = {
  name: ItemName;
  stored: { document: JsonObject; etag?: number };
  isReadOnly: boolean;
};

/** What is typed, and what was stored when that was begun. */
type Typed = { text: string; over: string };

/** The item's JSON, as it was sent and as it will be. */
export function DocumentEditor({ name, stored, isReadOnly }: DocumentEditorProps) {
  const printed = print(stored.document);
  const [typed, setTyped] = useState<Typed>();
  const save = useSaveItem(name);
  /** What was typed and taken back is nothing. */
  const shown = typed && typed.text !== typed.over ? typed.text : printed;
  const isChanged = shown !== printed;
  const fault = faultOf(shown);
  const isOvertaken = isChanged && typed?.over !== printed && !save.isPending;
  const send = () =>
    save.mutate(
      { document: JSON.parse(shown), etag: stored.etag },
      {
        onSuccess() {
          setTyped(undefined);
          notifications.show({ message: 'The item is saved.', color: 'green' });
        },
      },
    );
  const discard = () => {
    setTyped(undefined);
    save.reset();
  };
  return (
    <Paper p="md">
      <Group justify="space-between" mb="sm">
        <Title order={2}>Document</Title>
        {!isReadOnly && (
          <Group gap="xs">
            <Button variant="default" size="xs" disabled={!isChanged} onClick={discard}>
              Discard
            </Button>
            <Button
              size="xs"
              disabled={!isChanged || fault !== undefined}
              loading={save.isPending}
              onClick={send}
            >
              Save
            </Button>
          </Group>
        )}
      </Group>
      {isOvertaken && (
        <Alert color="orange" variant="light" mb="sm" role="alert">
          {text.overtaken}
        </Alert>
      )}
      {save.error && !isOvertaken && <ErrorNotice error={save.error} />}
      <JsonField
        aria-label="JSON of the item"
        minRows={10}
        maxRows={32}
        readOnly={isReadOnly || save.isPending}
        value={shown}
        error={fault}
        onChange={(event) => setTyped({ text: event.currentTarget.value, over: typed?.over ?? printed })}
      />
    </Paper>
  );
}

function faultOf(json: string): string | undefined {
  try {
    JSON.parse(json);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
