import { Code, ConnectError } from '@connectrpc/connect';
import { ActionIcon, Alert, Button, Group, Modal, Text, Textarea, Tooltip } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { Redo2, Undo2 } from 'lucide-react';
import { useState } from 'react';
import { type StoredDocument, usePublish } from '../../grammar/stored-documents.ts';
import { ErrorNotice } from '../../kit/error-notice.tsx';
import { useConsole } from '../../service/console-context.ts';
import { text } from './text.ts';
import type { Draft } from './use-draft.ts';

type EditorActionsProps = { configurationId: string; draft: Draft; stored: StoredDocument };

/** Undo, discard, publish. */
export function EditorActions({ configurationId, draft, stored }: EditorActionsProps) {
  const { can } = useConsole();
  const [isPublishing, publishing] = useDisclosure(false);
  const canPublish = can('configurations', 'everywhere') && draft.document !== undefined;
  /** One more step, so that it can be undone; unless there is another version to begin from. */
  const discard = () =>
    draft.version === stored.version ? draft.setDocument(stored.document) : draft.reset(stored);
  useHotkeys([['mod+S', () => draft.isChanged && canPublish && publishing.open()]], []);
  return (
    <>
      <Step label="Undo" onClick={draft.undo} icon={<Undo2 size={16} />} />
      <Step label="Do again" onClick={draft.redo} icon={<Redo2 size={16} />} />
      <Button variant="default" disabled={!draft.isChanged} onClick={discard}>
        {text.discard}
      </Button>
      <Button disabled={!(draft.isChanged || stored.version === 0) || !canPublish} onClick={publishing.open}>
        {text.publish}
      </Button>
      <Modal
        opened={isPublishing}
        onClose={publishing.close}
        title={<Text fw={600}>Publish {configurationId}</Text>}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {isPublishing && (
          <PublishForm
            configurationId={configurationId}
            draft={draft}
            stored={stored}
            onClose={publishing.close}
          />
        )}
      </Modal>
    </>
  );
}

type StepProps = { label: string; onClick?(): void; icon: React.ReactNode };

function Step({ label, onClick, icon }: StepProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="default" size={34} disabled={!onClick} onClick={onClick} aria-label={label}>
        {icon}
      </ActionIcon>
    </Tooltip>
  );
}

function PublishForm({ configurationId, draft, stored, onClose }: EditorActionsProps & { onClose(): void }) {
  const [comment, setComment] = useState('');
  const publish = usePublish((published) => {
    draft.publish(published);
    notifications.show({ message: text.published(published.version), color: 'green' });
    onClose();
  });
  const isConflict = publish.error !== null && ConnectError.from(publish.error).code === Code.Aborted;
  /** Which version somebody else has stored is known when it was read again. */
  const isRead = stored.version !== draft.version;
  const send = (expectedVersion: number) =>
    publish.mutate({ configurationId, document: draft.document!, expectedVersion, comment });
  return (
    <>
      <Text size="sm" className="quiet" mb="sm">
        {text.publishLead}
      </Text>
      <Textarea
        label={text.publishComment}
        data-autofocus
        autosize
        minRows={2}
        maxLength={1024}
        value={comment}
        onChange={(event) => setComment(event.currentTarget.value)}
      />
      {isConflict && isRead && (
        <Alert color="orange" variant="light" mt="md" role="alert">
          {text.conflict(stored.version)}
        </Alert>
      )}
      {publish.error && !isConflict && <ErrorNotice error={publish.error} />}
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        {isConflict ? (
          <Button color="orange" loading={publish.isPending || !isRead} onClick={() => send(stored.version)}>
            Publish over it
          </Button>
        ) : (
          <Button loading={publish.isPending} onClick={() => send(draft.version)}>
            {text.publish}
          </Button>
        )}
      </Group>
    </>
  );
}
