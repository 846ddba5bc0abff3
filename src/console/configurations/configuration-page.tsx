import { Badge, Button, Group, Stack, Tabs, Text } from '@mantine/core';
import { type FormEvent, lazy, Suspense, useState } from 'react';
import { useLocation } from 'wouter';
import {
  type ConfigurationPeriod,
  ConfigurationService,
} from '../../../gen/es/personalisation/v1/configuration_service_pb.js';
import { type StoredDocument, useConfigurationDocument } from '../grammar/stored-documents.ts';
import { RemoveButton, TextArea } from '../kit/fields.tsx';
import { formatAgo } from '../kit/format.ts';
import { useLeaveGuard } from '../kit/leaving.tsx';
import { ErrorNotice, Hint, PageFrame, PageSkeleton, Section } from '../kit/page.tsx';
import { useChange, useRead } from '../kit/queries.ts';
import { Ago } from '../kit/table.tsx';
import { useAddress } from '../service/address.ts';
import { useConsole } from '../service/console-context.ts';
import { settings } from '../service/settings.ts';
import { t } from '../texts/texts.ts';
import { Editor } from './editor/editor.tsx';
import { EditorActions, useMayChange } from './editor/editor-actions.tsx';
import { ConflictNotice } from './editor/merge-dialog.tsx';
import { type SharedDraft, useSharedDraft } from './editor/shared-draft.ts';
import { type Draft, nameOf, useDraft } from './editor/use-draft.ts';
import { States } from './list.tsx';

const Simulation = lazy(() => import('./simulation/simulation.tsx'));
const Versions = lazy(() => import('./versions/versions.tsx'));

type ConfigurationPageProps = { configurationId: string; tab?: string };

/** One rule set: editor, simulation and versions. */
export function ConfigurationPage({ configurationId, tab }: ConfigurationPageProps) {
  /** Read afresh: another user may have created the rule set since the list was last read. */
  const list = useRead(
    ConfigurationService.method.listConfigurations,
    { withSummaries: true, configurationId },
    { staleTime: 0 },
  );
  const summary = list.data?.summaries.find((one) => one.configurationId === configurationId);
  const isListed = list.data && summary !== undefined;
  const { can, environment } = useConsole();
  const isNew = isListed === false && list.isFetchedAfterMount;
  /** Keeps the page, and its dialog, after a new rule set has been published. */
  const [wasNew, setWasNew] = useState(false);
  if (isNew && !wasNew) setWasNew(true);
  const { data, error, refetch } = useConfigurationDocument(configurationId, isListed === true);
  const failed = [list, { error: isNew ? null : error, refetch }].find((read) => read.error);
  const notice = failed && <ErrorNotice error={failed.error!} onRetry={failed.refetch} />;
  /** Undefined data may also mean that another user has deleted it. */
  const { query } = useAddress<'query'>().values;
  const [nothing] = useState(() =>
    emptyOf(can('configurations', 'everywhere') ? [] : [environment.name], query),
  );
  const stored = isNew ? nothing : (data ?? (wasNew ? nothing : undefined));
  const mayEdit = useMayChange('edit', stored?.document);
  const shared = useSharedDraft(configurationId, mayEdit);
  if (!stored || (mayEdit && shared.isPending && !shared.error)) return notice ?? <PageSkeleton />;
  const opened = { configurationId, tab, stored, periods: summary?.periods ?? [] };
  return (
    <>
      {notice}
      <Opened {...opened} shared={mayEdit ? shared.data : undefined} />
    </>
  );
}

/** A new rule set. @param environments Those that it belongs to; empty for all. @param query Search that it applies to. */
const emptyOf = (environments: string[], query: string | undefined): StoredDocument => ({
  document: {
    ...{ constraints: [], preferences: [] },
    ...(environments.length > 0 && { environments }),
    ...(query && { search: { when: { queries: [{ exact: query }] } } }),
  },
  version: 0,
});

const notLive = ({ version }: ConfigurationPeriod) =>
  t('You are editing version {version}, which is not live yet.', { version });

/** Whether and by whom the draft is saved. */
function draftWords(
  { sharing: { state, error, conflict }, fault }: Draft,
  shared: OpenedProps['shared'],
): string {
  if (state === 'off') return t('You may not save a draft of this rule set.');
  if (state === 'unsaved') return t('Saving the draft…');
  if (state === 'saved') return shared ? savedWords(shared) : '';
  if (fault) return t('The draft is not saved: fix the JSON.');
  return conflict?.shared
    ? t('The draft is not saved: merge first.')
    : t('The draft is not saved. {message}', { message: error?.message });
}

const savedWords = ({ author, savedAt, proposal }: SharedDraft) => {
  const saved = { author, savedAt: formatAgo(savedAt) };
  if (proposal === undefined) return t('Draft saved by {author}, {savedAt}.', saved);
  return proposal
    ? t('Proposed by {author}, {savedAt}: {note}.', { ...saved, note: proposal })
    : t('Proposed by {author}, {savedAt}.', saved);
};

const tabs = { edit: t('Edit'), simulation: t('Simulation'), versions: t('Versions') };

type OpenedProps = ConfigurationPageProps & {
  stored: StoredDocument;
  shared: SharedDraft | null | undefined;
  periods: ConfigurationPeriod[];
};

function Opened({ configurationId, tab: wanted = 'edit', stored, shared, periods }: OpenedProps) {
  const tab = Object.hasOwn(tabs, wanted) ? wanted : 'edit';
  const { pathTo } = useConsole();
  const [, navigate] = useLocation();
  const draft = useDraft(configurationId, stored, shared);
  const { conflict, state } = draft.sharing;
  const [isMerging, setMerging] = useState(false);
  const base = pathTo(`configurations/${encodeURIComponent(configurationId)}`);
  const isUnsaved = state === 'unsaved' || state === 'failed';
  useLeaveGuard(isUnsaved, state === 'failed', `${settings.prefix}/console${base}`);
  const title = (
    <Group gap="sm" component="span">
      <bdi>{nameOf(draft, configurationId)}</bdi>
      {stored.version ? <States summary={{ periods }} /> : <Badge color="blue">{t('New')}</Badge>}
      {draft.isChanged && <Badge color="orange">{t('Changed')}</Badge>}
    </Group>
  );
  const edited = periods.find(({ version, live }) => version === stored.version && !live);
  return (
    <PageFrame
      title={title}
      lead={
        <>
          {[
            draft.document?.name && t('ID {configurationId}.', { configurationId }),
            edited && notLive(edited),
          ]
            .filter(Boolean)
            .join(' ')}{' '}
          <span role="status">{draft.isChanged && draftWords(draft, shared)}</span>
        </>
      }
      actions={
        <EditorActions
          {...{ configurationId, draft, shared, stored, periods }}
          onConflict={() => setMerging(true)}
        />
      }
      isWide
    >
      {conflict && (
        <ConflictNotice {...{ configurationId, draft, conflict }} isOpen={isMerging} onOpen={setMerging} />
      )}
      <Tabs
        value={tab}
        onChange={(next) => navigate(next === 'edit' ? base : `${base}/${next}${location.search}`)}
      >
        <Tabs.List mb="md">
          {Object.entries(tabs).map(([value, label]) => (
            <Tabs.Tab key={value} value={value} disabled={value === 'versions' && stored.version === 0}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={tab}>
          <Suspense fallback={<PageSkeleton />}>
            {tab === 'edit' && <Editor configurationId={configurationId} draft={draft} stored={stored} />}
            {tab === 'simulation' && <Simulation configurationId={configurationId} draft={draft} />}
            {tab === 'versions' && (
              <Versions configurationId={configurationId} current={stored.version} periods={periods} />
            )}
          </Suspense>
        </Tabs.Panel>
      </Tabs>
      {shared && tab === 'edit' && <DraftComments configurationId={configurationId} />}
    </PageFrame>
  );
}

const { method } = ConfigurationService;

/** Comments on a saved draft, and a field for another one. */
function DraftComments({ configurationId }: { configurationId: string }) {
  const { clientId: own } = useConsole().session;
  const [text, setText] = useState('');
  const { data } = useRead(method.listDraftComments, { configurationId }, { staleTime: 0 });
  const add = useChange(method.createDraftComment);
  const remove = useChange(method.deleteDraftComment);
  const error = add.error ?? remove.error;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate({ configurationId, text: text.trim() }, { onSuccess: () => setText('') });
  };
  return (
    <Section title={t('Comments')} lead={t('Erased with the draft.')} mt="md">
      <Stack gap="xs">
        {data?.comments.map(({ commentId, clientId, clientName, text: said, createTime }) => (
          <Group key={commentId} justify="space-between" align="flex-start" wrap="nowrap">
            <div style={{ minWidth: 0 }}>
              <Hint>
                <bdi>{clientName || clientId}</bdi>, <Ago time={createTime} />
              </Hint>
              <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
                {said}
              </Text>
            </div>
            {clientId === own && (
              <RemoveButton
                name={t('your comment')}
                onClick={() => remove.mutate({ configurationId, commentId })}
              />
            )}
          </Group>
        ))}
        {error && <ErrorNotice error={error} />}
        <form onSubmit={submit}>
          <Group align="flex-end" gap="xs">
            <TextArea
              label={t('Comment')}
              maxLength={2_000}
              style={{ flex: '1 1 240px' }}
              value={text}
              onChange={setText}
            />
            <Button type="submit" loading={add.isPending} disabled={text.trim() === ''}>
              {t('Comment')}
            </Button>
          </Group>
        </form>
      </Stack>
    </Section>
  );
}
