import { Code, ConnectError } from '@connectrpc/connect';
import { ActionIcon, Alert, Box, Button, Group, Modal, Radio, Tooltip } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useEffect, useState } from 'react';
import type { ConfigurationPeriod } from '../../../../gen/es/personalisation/v1/configuration_service_pb.js';
import type { Document } from '../../grammar/document.ts';
import { steersAllSites } from '../../grammar/search-rules.ts';
import { type StoredDocument, usePublish } from '../../grammar/stored-documents.ts';
import { DialogButtons, Form } from '../../kit/dialog.tsx';
import { CheckField, TextArea } from '../../kit/fields.tsx';
import { type Icon, Redo2, Undo2 } from '../../kit/icons.ts';
import { ErrorNotice, Hint } from '../../kit/page.tsx';
import { useConsole } from '../../service/console-context.ts';
import { t } from '../../texts/texts.ts';
import { nextOf, periodOf, periodWords } from '../schedule.ts';
import { MomentField } from './settings-form.tsx';
import { type SharedDraft, useSave } from './shared-draft.ts';
import { type Draft, nameOf } from './use-draft.ts';

type EditorActionsProps = {
  configurationId: string;
  draft: Draft;
  /** The draft as the service has it. */
  shared: SharedDraft | null | undefined;
  stored: StoredDocument;
  periods: readonly ConfigurationPeriod[];
  /** Another version was published meanwhile. */
  onConflict(): void;
};

/** Why nothing can be published; undefined if it can. */
function lackOf({ mayPublish, draft }: { mayPublish: boolean; draft: Draft }): string | undefined {
  if (!mayPublish) return t('To publish, you need the role publisher in every environment of this rule set.');
  if (!draft.document) return t('To publish, correct the JSON first.');
  return draft.isChanged || draft.version === 0 ? undefined : t('There are no changes to publish.');
}

/** Environments that a document belongs to; undefined for all. */
function environmentsOf({ environments }: Document): (string | undefined)[] {
  return Array.isArray(environments) && environments.length > 0 ? environments.map(String) : [undefined];
}

/** Whether the client or person may edit or publish in all environments of the documents. */
export function useMayChange(access: 'edit' | 'publish', ...documents: (Document | undefined)[]): boolean {
  const { mayChange } = useConsole();
  const reached = documents.flatMap((document) => (document ? environmentsOf(document) : []));
  return reached.length > 0 && mayChange('configurations', access, reached);
}

/** Buttons for undo, redo, discard and publish. */
export function EditorActions(props: EditorActionsProps) {
  const { configurationId, draft, stored } = props;
  const [isPublishing, publishing] = useDisclosure(false);
  const documents = [draft.document ?? {}, stored.version > 0 ? stored.document : undefined];
  const mayPublish = useMayChange('publish', ...documents);
  const mayEdit = useMayChange('edit', ...documents);
  const canPublish = mayPublish && draft.document !== undefined;
  const lack = lackOf({ mayPublish, draft });
  /** Discarding can be undone, unless the stored version has changed. */
  const discard = () =>
    draft.version === stored.version ? draft.setDocument(stored.document) : draft.reset(stored);
  useHotkeys([['mod+S', () => draft.isChanged && canPublish && publishing.open()]], []);
  if (!mayEdit) return null;
  return (
    <>
      <Step label={t('Undo')} onClick={draft.undo} icon={Undo2} />
      <Step label={t('Redo')} onClick={draft.redo} icon={Redo2} />
      <Button
        title={draft.isChanged ? undefined : t('There are no changes to discard.')}
        disabled={!draft.isChanged}
        onClick={discard}
      >
        {t('Discard')}
      </Button>
      {mayPublish ? (
        <Button
          variant="filled"
          title={lack}
          disabled={!(draft.isChanged || stored.version === 0) || !canPublish}
          onClick={publishing.open}
        >
          {t('Publish')}
        </Button>
      ) : (
        <Propose {...props} />
      )}
      <Modal
        opened={isPublishing}
        onClose={publishing.close}
        title={t('Publish {name}', { name: nameOf(draft, configurationId) })}
      >
        {isPublishing && <PublishForm {...props} onClose={publishing.close} />}
      </Modal>
    </>
  );
}

/** Button of an editor where publishing needs approval: marks the saved draft for a publisher. */
function Propose({ configurationId, draft, shared }: EditorActionsProps) {
  const [isOpen, dialog] = useDisclosure(false);
  const [note, setNote] = useState('');
  const save = useSave(configurationId);
  const isSaved = draft.sharing.state === 'saved' && shared !== null && shared !== undefined;
  const isProposed = shared?.proposal !== undefined;
  const words = isProposed
    ? t('A publisher can publish your proposal.')
    : t('There are no saved changes to propose.');
  const propose = () => {
    const { version, revision, document } = shared!;
    const change = { text: draft.text, document, version, revision, proposal: note };
    save.mutate(change, { onSuccess: dialog.close });
  };
  return (
    <>
      <Button
        variant="filled"
        disabled={!isSaved || isProposed}
        title={isSaved && !isProposed ? undefined : words}
        onClick={dialog.open}
      >
        {isProposed ? t('Proposed') : t('Propose')}
      </Button>
      <Modal opened={isOpen} onClose={dialog.close} title={t('Propose these changes')}>
        <Form submit={t('Propose')} {...save} onSubmit={propose} onClose={dialog.close}>
          <Hint size="sm">
            {t('Publishing needs the role publisher. Publishers see the proposal in the list of rule sets.')}
          </Hint>
          <TextArea
            label={t('Note to the publisher')}
            data-autofocus
            minRows={2}
            maxLength={1024}
            value={note}
            onChange={setNote}
          />
        </Form>
      </Modal>
    </>
  );
}

function Step({ label, onClick, icon: Icon }: { label: string; onClick?(): void; icon: Icon }) {
  return (
    <Tooltip label={label}>
      <ActionIcon size={34} disabled={!onClick} onClick={onClick} aria-label={label}>
        <Icon size={16} />
      </ActionIcon>
    </Tooltip>
  );
}

/** Confirms that a rule set changes the searches of all environments. */
function AllEnvironments({ isChosen, onChoose }: { isChosen: boolean; onChoose(isChosen: boolean): void }) {
  const { environments } = useConsole();
  return (
    <CheckField
      mt="md"
      label={t('Change the searches of all {count} environments', { count: environments.length })}
      description={t('The rule set names no environment. To limit it, cancel and choose environments.')}
      checked={isChosen}
      onChange={onChoose}
    />
  );
}

type PublishFormProps = EditorActionsProps & { onClose(): void };

function PublishForm(props: PublishFormProps) {
  const { configurationId, draft, stored, periods, onClose, onConflict } = props;
  const schedule = useScheduleChoice(draft.document!, periods);
  const [comment, setComment] = useState('');
  const { environments } = useConsole();
  const [isForAll, setForAll] = useState(false);
  const affectsAll = environments.length > 1 && steersAllSites(draft.document!);
  const isAsked = (affectsAll && !isForAll) || schedule.isIncomplete;
  const publish = usePublish((published) => {
    draft.publish(published);
    const message = t('Version {version} is published.', { version: published.version });
    notifications.show({ message, color: 'green' });
  });
  const isConflict = publish.error !== null && ConnectError.from(publish.error).code === Code.Aborted;
  /** The conflicting version is known after a refresh. */
  const isRefreshed = stored.version !== draft.version;
  const isOvertaken = isConflict && isRefreshed && stored.version > 0;
  useEffect(() => {
    if (!isOvertaken) return;
    onClose();
    onConflict();
  }, [isOvertaken, onClose, onConflict]);
  const send = (expectedVersion: number) => {
    const document = draft.document!;
    const publication = { configurationId, document, expectedVersion, comment, ...schedule.request };
    /** After the refresh: a kept schedule is a newer version, on which further changes must be based. */
    publish.mutate(publication, { onSuccess: onClose });
  };
  return (
    <>
      <Hint size="sm" mb="sm">
        {t('The version goes live on every node within a second, or at its start date.')}
      </Hint>
      <TextArea
        label={t('Description of the change')}
        data-autofocus
        minRows={2}
        maxLength={1024}
        value={comment}
        onChange={setComment}
      />
      {schedule.fields}
      {affectsAll && <AllEnvironments isChosen={isForAll} onChoose={setForAll} />}
      {isConflict && isRefreshed && !isOvertaken && (
        <Alert color="orange" mt="md" role="alert">
          {t('Another user has deleted the rule set since you started. Publishing restores it.')}
        </Alert>
      )}
      {publish.error && !isConflict && <ErrorNotice error={publish.error} />}
      <DialogButtons
        mt="md"
        color={isConflict ? 'orange' : undefined}
        loading={publish.isPending || (isConflict && !isRefreshed)}
        disabled={isAsked}
        onClick={() => send(isConflict ? stored.version : draft.version)}
        onClose={onClose}
      >
        {isConflict ? t('Overwrite') : t('Publish')}
      </DialogButtons>
    </>
  );
}

/** Scheduled versions that a document replaces, the next to start first; none if it has a start of its own. */
function replacedBy(document: Document, periods: readonly ConfigurationPeriod[]): ConfigurationPeriod[] {
  const moment = (name: string) => (document[name] ? Date.parse(document[name] as string) : undefined);
  if ((moment('active_from') ?? 0) > Date.now()) return [];
  const end = moment('active_until') ?? Number.POSITIVE_INFINITY;
  return nextOf(periods).filter((one) => (periodOf(one).until?.getTime() ?? Number.POSITIVE_INFINITY) <= end);
}

/** Asks what happens to the scheduled versions that a document would replace; no fields without them. */
function useScheduleChoice(document: Document, periods: readonly ConfigurationPeriod[]) {
  const { timeZone } = useConsole().environment;
  const [replaced] = useState(() => replacedBy(document, periods));
  const [choice, setChoice] = useState('keep');
  const [start, setStart] = useState(() => periodOf(replaced[0] ?? {}).from?.toISOString());
  const moves = choice === 'move';
  const fields = replaced.length > 0 && (
    <>
      <Radio.Group
        mt="md"
        label={t('Scheduled versions')}
        description={replaced.map((one) => periodWords(one, timeZone)).join(' · ')}
        value={choice}
        onChange={setChoice}
      >
        <Group gap="md" mt="xs">
          <Radio value="keep" label={t('Keep the schedule')} />
          <Radio value="move" label={t('Move the start')} />
          <Radio value="cancel" label={t('Cancel the schedule')} />
        </Group>
      </Radio.Group>
      {moves && (
        <Box mt="sm">
          <MomentField
            label={t('New start')}
            hint={t('Time zone {timeZone}', { timeZone })}
            value={start}
            onChange={setStart}
          />
        </Box>
      )}
    </>
  );
  const keepScheduled = replaced.length > 0 && choice !== 'cancel';
  return {
    fields,
    isIncomplete: moves && !start,
    request: { keepScheduled, scheduledStart: moves ? start : undefined },
  };
}
