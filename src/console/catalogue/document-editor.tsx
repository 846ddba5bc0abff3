import { Button, Group, Paper, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { type JsonObject, print } from '../grammar/document.ts';
import { ErrorNotice } from '../kit/error-notice.tsx';
import type { ItemName } from '../kit/items.ts';
import { JsonField } from '../kit/json-field.tsx';
import { useSaveItem } from './queries.ts';

type DocumentEditorProps = {
  name: ItemName;
  stored: { document: JsonObject; etag?: number };
  isReadOnly: boolean;
};

/** The item's JSON, as it was sent and as it will be. */
export function DocumentEditor({ name, stored, isReadOnly }: DocumentEditorProps) {
  const printed = print(stored.document);
  const [text, setText] = useState(printed);
  const save = useSaveItem(name);
  const fault = faultOf(text);
  const send = () =>
    save.mutate(
      { document: JSON.parse(text), etag: stored.etag },
      { onSuccess: () => notifications.show({ message: 'The item is saved.', color: 'green' }) },
    );
  return (
    <Paper p="md">
      <Group justify="space-between" mb="sm">
        <Title order={2}>Document</Title>
        {!isReadOnly && (
          <Group gap="xs">
            <Button variant="default" size="xs" disabled={text === printed} onClick={() => setText(printed)}>
              Discard
            </Button>
            <Button
              size="xs"
              disabled={text === printed || fault !== undefined}
              loading={save.isPending}
              onClick={send}
            >
              Save
            </Button>
          </Group>
        )}
      </Group>
      {save.error && <ErrorNotice error={save.error} />}
      <JsonField
        aria-label="JSON of the item"
        minRows={10}
        maxRows={32}
        readOnly={isReadOnly}
        value={text}
        error={fault}
        onChange={(event) => setText(event.currentTarget.value)}
      />
    </Paper>
  );
}

function faultOf(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
