import { Code, ConnectError } from '@connectrpc/connect';
import { useQuery } from '@connectrpc/connect-query';
import { ActionIcon, Alert, Button, Checkbox, Group, Modal, Textarea, Tooltip } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import {
  type ConfigurationPeriod,
  ConfigurationService,
} from '../../../../gen/es/personalisation/v1/configuration_service_pb.js';
import type { Document } from '../../grammar/document.ts';
import { steersAllSites } from '../../grammar/search-rules.ts';
import { type StoredDocument, usePublish } from '../../grammar/stored-documents.ts';
import { formatMoment, momentOf } from '../../kit/format.ts';
import { type Icon, Redo2, Undo2 } from '../../kit/icons.ts';
import { ErrorNotice, Hint, PageLink } from '../../kit/page.tsx';
import { useConsole } from '../../service/console-context.ts';
import { permits } from '../../service/session.ts';
import { useScheduleChoice } from './schedule-choice.tsx';
import { type Draft, nameOf } from './use-draft.ts';

type EditorActionsProps = {
  configurationId: string;
  draft: Draft;
  stored: StoredDocument;
  periods: readonly ConfigurationPeriod[];
};

/** Why nothing can be published; undefined if it can. */
function lackOf({ mayPublish, draft }: { mayPublish: boolean; draft: Draft }): string | undefined {
  if (!mayPublish)
    return 'To publish, you need the scope “configurations” in every environment of this rule set.';
  if (!draft.document) return 'To publish, correct the JSON first.';
  return draft.isChanged || draft.version === 0 ? undefined : 'There are no changes to publish.';
}

/** Environments that a document belongs to; undefined for all. */
function environmentsOf({ environments }: Document): (string | undefined)[] {
  return Array.isArray(environments) && environments.length > 0 ? environments.map(String) : [undefined];
}

/** Buttons for undo, redo, discard and publish. */
export function EditorActions({ configurationId, draft, stored, periods }: EditorActionsProps) {
  const { session } = useConsole();
  const [isPublishing, publishing] = useDisclosure(false);
  const reached = [draft.document ?? {}, ...(stored.version > 0 ? [stored.document] : [])].flatMap(
    environmentsOf,
  );
  const mayPublish = reached.every((name) => permits(session.scopes, 'configurations', name));
  const canPublish = mayPublish && draft.document !== undefined;
  const lack = lackOf({ mayPublish, draft });
  /** Discarding can be undone, unless the stored version has changed. */
  const discard = () =>
    draft.version === stored.version ? draft.setDocument(stored.document) : draft.reset(stored);
  useHotkeys([['mod+S', () => draft.isChanged && canPublish && publishing.open()]], []);
  return (
    <>
      <Step label="Undo" onClick={draft.undo} icon={Undo2} />
      <Step label="Redo" onClick={draft.redo} icon={Redo2} />
      <Button
        variant="default"
        title={draft.isChanged ? undefined : 'There are no changes to discard.'}
        disabled={!draft.isChanged}
        onClick={discard}
      >
        Discard
      </Button>
      <Button
        title={lack}
        disabled={!(draft.isChanged || stored.version === 0) || !canPublish}
        onClick={publishing.open}
      >
        Publish
      </Button>
      <Modal
        opened={isPublishing}
        onClose={publishing.close}
        title={`Publish ${nameOf(draft, configurationId)}`}
      >
        {isPublishing && (
          <PublishForm
            configurationId={configurationId}
            draft={draft}
            stored={stored}
            periods={periods}
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

/** Says who has published meanwhile, and when; the versions show the changes. */
function ConflictNotice({ configurationId, version }: { configurationId: string; version: number }) {
  const request = { configurationId, pageSize: 1 };
  const { data } = useQuery(ConfigurationService.method.listConfigurationVersions, request);
  const newest = data?.versions[0];
  const time = momentOf(newest?.createTime);
  return (
    <Alert color="orange" mt="md" role="alert">
      {version === 0
        ? 'Another user has deleted the rule set since you started. Publishing restores it.'
        : `Another user has published version ${version} since you started. Overwriting replaces those changes.`}{' '}
      {time && `Last change: ${formatMoment(time)} by ${newest?.clientId || 'the service'}. `}
      <PageLink to={`configurations/${encodeURIComponent(configurationId)}/versions`}>Show changes</PageLink>
    </Alert>
  );
}

type PublishFormProps = EditorActionsProps & { onClose(): void };

function PublishForm({ configurationId, draft, stored, periods, onClose }: PublishFormProps) {
  const schedule = useScheduleChoice(draft.document!, periods);
  const [comment, setComment] = useState('');
  const { environments } = useConsole();
  const [isForAll, setForAll] = useState(false);
  const affectsAll = environments.length > 1 && steersAllSites(draft.document!);
  const isAsked = (affectsAll && !isForAll) || schedule.isIncomplete;
  const publish = usePublish((published) => {
    draft.publish(published);
    notifications.show({ message: `Version ${published.version} is published.`, color: 'green' });
    onClose();
  });
  const isConflict = publish.error !== null && ConnectError.from(publish.error).code === Code.Aborted;
  /** The conflicting version is known after a refresh. */
  const isRefreshed = stored.version !== draft.version;
  const send = (expectedVersion: number) =>
    publish.mutate({
      configurationId,
      document: draft.document!,
      expectedVersion,
      comment,
      ...schedule.request,
    });
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
      {schedule.fields}
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
        <ConflictNotice configurationId={configurationId} version={stored.version} />
      )}
      {publish.error && !isConflict && <ErrorNotice error={publish.error} />}
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button
          color={isConflict ? 'orange' : undefined}
          loading={publish.isPending || (isConflict && !isRefreshed)}
          disabled={isAsked}
          onClick={() => send(isConflict ? stored.version : draft.version)}
        >
          {isConflict ? 'Overwrite' : 'Publish'}
        </Button>
      </Group>
    </>
  );
}
