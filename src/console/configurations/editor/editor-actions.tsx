import { Code, ConnectError } from '@connectrpc/connect';
import { ActionIcon, Alert, Button, Checkbox, Group, Modal, Textarea, Tooltip } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { steersAllSites } from '../../grammar/search-rules.ts';
import { type StoredDocument, usePublish } from '../../grammar/stored-documents.ts';
import { type Icon, Redo2, Undo2 } from '../../kit/icons.ts';
import { ErrorNotice, Hint } from '../../kit/page.tsx';
import { useConsole } from '../../service/console-context.ts';
import type { Draft } from './use-draft.ts';

type EditorActionsProps = { configurationId: string; draft: Draft; stored: StoredDocument };

/** Buttons for undo, redo, discard and publish. */
export function EditorActions({ configurationId, draft, stored }: EditorActionsProps) {
  const { can } = useConsole();
  const [isPublishing, publishing] = useDisclosure(false);
  const canPublish = can('configurations', 'everywhere') && draft.document !== undefined;
  /** Discarding can be undone, unless the stored version has changed. */
  const discard = () =>
    draft.version === stored.version ? draft.setDocument(stored.document) : draft.reset(stored);
  useHotkeys([['mod+S', () => draft.isChanged && canPublish && publishing.open()]], []);
  return (
    <>
      <Step label="Undo" onClick={draft.undo} icon={Undo2} />
      <Step label="Redo" onClick={draft.redo} icon={Redo2} />
      <Button variant="default" disabled={!draft.isChanged} onClick={discard}>
        Discard
      </Button>
      <Button disabled={!(draft.isChanged || stored.version === 0) || !canPublish} onClick={publishing.open}>
        Publish
      </Button>
      <Modal opened={isPublishing} onClose={publishing.close} title={`Publish ${configurationId}`}>
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

function Step({ label, onClick, icon: Icon }: { label: string; onClick?(): void; icon: Icon }) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="default" size={34} disabled={!onClick} onClick={onClick} aria-label={label}>
        <Icon size={16} />
      </ActionIcon>
    </Tooltip>
  );
}

function PublishForm({ configurationId, draft, stored, onClose }: EditorActionsProps & { onClose(): void }) {
  const [comment, setComment] = useState('');
  const { environments } = useConsole();
  const [isForAll, setForAll] = useState(false);
  const affectsAll = environments.length > 1 && steersAllSites(draft.document!);
  const isAsked = affectsAll && !isForAll;
  const publish = usePublish((published) => {
    draft.publish(published);
    notifications.show({ message: `Version ${published.version} is published.`, color: 'green' });
    onClose();
  });
  const isConflict = publish.error !== null && ConnectError.from(publish.error).code === Code.Aborted;
  /** The conflicting version is known after a refresh. */
  const isRefreshed = stored.version !== draft.version;
  const send = (expectedVersion: number) =>
    publish.mutate({ configurationId, document: draft.document!, expectedVersion, comment });
  return (
    <>
      <Hint size="sm" mb="sm">
        The version goes live on every node within a second, or at its start date.
      </Hint>
      <Textarea
        label="Description of the change"
        data-autofocus
        autosize
        minRows={2}
        maxLength={1024}
        value={comment}
        onChange={(event) => setComment(event.currentTarget.value)}
      />
      {affectsAll && (
        <Checkbox
          mt="md"
          label={`Change the searches of all ${environments.length} environments`}
          description="The rule set names no environment. To limit it, cancel and choose environments."
          checked={isForAll}
          onChange={(event) => setForAll(event.currentTarget.checked)}
        />
      )}
      {isConflict && isRefreshed && (
        <Alert color="orange" mt="md" role="alert">
          {stored.version === 0
            ? 'Another user has deleted the rule set since you started. Publishing restores it.'
            : `Another user has published version ${stored.version} since you started. Compare it before you overwrite it.`}
        </Alert>
      )}
      {publish.error && !isConflict && <ErrorNotice error={publish.error} />}
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        {isConflict ? (
          <Button
            color="orange"
            loading={publish.isPending || !isRefreshed}
            disabled={isAsked}
            onClick={() => send(stored.version)}
          >
            Overwrite
          </Button>
        ) : (
          <Button loading={publish.isPending} disabled={isAsked} onClick={() => send(draft.version)}>
            Publish
          </Button>
        )}
      </Group>
    </>
  );
}
