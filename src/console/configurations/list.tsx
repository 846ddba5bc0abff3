import { create } from '@bufbuild/protobuf';
import { Badge, Button, Group, Modal, Paper, Select } from '@mantine/core';
import { useCallback, useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import {
  type ConfigurationSummary,
  ConfigurationSummarySchema,
} from '../../../gen/es/personalisation/v1/configuration_service_pb.js';
import { Form } from '../kit/dialog.tsx';
import { LateInput, TextField, ViewSwitch } from '../kit/fields.tsx';
import { formatAgo, formatCounted, formatMoment, momentOf } from '../kit/format.ts';
import { FileSliders, Plus } from '../kit/icons.ts';
import { Empty, Hint, PageFrame, RowLink, Unread } from '../kit/page.tsx';
import { useRuleSets } from '../kit/rule-sets.ts';
import { DataTable, MoreButton, TablePaper } from '../kit/table.tsx';
import { useAddress } from '../service/address.ts';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';
import { Calendar } from './calendar.tsx';
import { type DraftHeads, useDraftHeads } from './editor/shared-draft.ts';
import { RowActions } from './row-actions.tsx';
import { nextOf, statesOf } from './schedule.ts';

const pageSize = 100;

const views = { list: t('List'), calendar: t('Calendar') };

/** All rule sets with state and content, or a calendar of their schedules. */
export function ConfigurationList() {
  const { data: stored, error, refetch } = useRuleSets();
  const { data: drafts = noDrafts } = useDraftHeads();
  const summaries = useMemo(() => stored && [...stored, ...newOnes(stored, drafts)], [stored, drafts]);
  const { values, set } = useAddress<'view' | 'new'>();
  const showsCalendar = values.view === 'calendar';
  const { mayChange } = useConsole();
  const [rowCount, setRowCount] = useState(pageSize);
  const { fields, apply } = useFilters(drafts);
  const shown = useMemo(() => apply(summaries ?? []), [apply, summaries]);
  const known = useMemo(() => new Set(summaries?.map(({ configurationId }) => configurationId)), [summaries]);
  const pages = {
    hasNextPage: !showsCalendar && rowCount < shown.length,
    isFetchingNextPage: false,
    fetchNextPage: () => setRowCount(rowCount + pageSize),
  };
  if (error || !summaries) return <Unread error={error} onRetry={refetch} />;
  const create = mayChange('configurations') && (
    <Button variant="filled" leftSection={<Plus size={15} />} onClick={() => set({ new: '1' })} data-create>
      {t('New rule set')}
    </Button>
  );
  return (
    <PageFrame
      title={t('Rule sets')}
      lead={t('Rules and preferences of lists and searches.')}
      actions={create}
    >
      {summaries.length > 0 && <ViewSwitch views={views} />}
      {summaries.length > 0 && fields}
      {summaries.length > 0 && showsCalendar && <Calendar summaries={shown} />}
      {summaries.length > 0 && !showsCalendar && (
        <ConfigurationTable summaries={shown.slice(0, rowCount)} known={known} drafts={drafts} />
      )}
      {summaries.length > 0 && shown.length === 0 && (
        <Empty icon={FileSliders} title={t('No matching rule set')}>
          {t('Change the search or the filters.')}
        </Empty>
      )}
      <MoreButton pages={pages} />
      {summaries.length === 0 && (
        <Paper>
          <Empty icon={FileSliders} title={t('No rule set yet')}>
            {t(
              'A rule set holds the rules and preferences of a list. Recommendation requests name a rule set for each list.',
            )}
          </Empty>
        </Paper>
      )}
      <NewConfiguration isOpen={values.new === '1'} known={known} onClose={() => set({ new: '' })} />
    </PageFrame>
  );
}

const noDrafts: DraftHeads = new Map();

/** Rule sets that exist only as drafts, at version 0. */
const newOnes = (stored: readonly ConfigurationSummary[], drafts: DraftHeads): ConfigurationSummary[] => {
  const known = new Set(stored.map(({ configurationId }) => configurationId));
  return [...drafts]
    .filter(([id, { version }]) => version === 0 && !known.has(id))
    .map(([configurationId]) => create(ConfigurationSummarySchema, { configurationId }));
};

type FilterKey = 'q' | 'kind' | 'state' | 'sort';

const choices: Record<Exclude<FilterKey, 'q'>, [label: string, values: Record<string, string>]> = {
  kind: [t('Applies to'), { '': t('Lists and searches'), lists: t('Lists'), searches: t('Searches') }],
  state: [
    t('State'),
    {
      '': t('Any state'),
      live: t('Live'),
      next: t('Scheduled'),
      ended: t('Ended'),
      draft: t('With a draft'),
    },
  ],
  sort: [t('Sort by'), { '': t('Sort by ID'), name: t('Sort by name'), edited: t('Sort by last edited') }],
};

/** Search, filters and order, held by the address. */
function useFilters(drafts: DraftHeads) {
  const { values, set } = useAddress<FilterKey>();
  const { q = '', kind = '', state = '', sort = '' } = values;
  const apply = useCallback(
    (summaries: readonly ConfigurationSummary[]) => {
      const wanted = q.toLowerCase();
      const found = summaries.filter(
        (one) =>
          `${one.configurationId} ${one.name} ${one.description}`.toLowerCase().includes(wanted) &&
          (!kind || one.search === (kind === 'searches')) &&
          (!state || (state === 'draft' ? drafts.has(one.configurationId) : stateTests[state]?.(one))),
      );
      return found.toSorted(orders[sort] ?? orders.id);
    },
    [q, kind, state, sort, drafts],
  );
  const fields = (
    <Group mb="md" gap="sm">
      <LateInput
        aria-label={t('Search rule sets')}
        placeholder={t('ID, name or description')}
        value={q}
        onChange={(text) => set({ q: text })}
        flex="2 1 200px"
      />
      {(['kind', 'state', 'sort'] as const).map((key) => (
        <Select
          key={key}
          aria-label={choices[key][0]}
          data={Object.entries(choices[key][1]).map(([value, label]) => ({ value, label }))}
          value={values[key] ?? ''}
          onChange={(value) => set({ [key]: value ?? '' })}
          allowDeselect={false}
          flex="1 1 150px"
        />
      ))}
    </Group>
  );
  return { fields, apply };
}

const stateTests: Record<string, (summary: ConfigurationSummary) => boolean> = {
  live: ({ periods }) => periods.some(({ live }) => live),
  next: ({ periods }) => nextOf(periods).length > 0,
  ended: ({ periods, version }) => version > 0 && periods.length === 0,
};

const titleOf = ({ name, configurationId }: ConfigurationSummary): string => name || configurationId;

const orders: Record<string, (a: ConfigurationSummary, b: ConfigurationSummary) => number> = {
  id: (a, b) => (a.configurationId < b.configurationId ? -1 : 1),
  name: (a, b) => titleOf(a).localeCompare(titleOf(b)),
  edited: (a, b) => Number((b.updateTime?.seconds ?? 0n) - (a.updateTime?.seconds ?? 0n)),
};

type ConfigurationTableProps = {
  summaries: ConfigurationSummary[];
  known: ReadonlySet<string>;
  drafts: DraftHeads;
};

function ConfigurationTable({ summaries, known, drafts }: ConfigurationTableProps) {
  return (
    <TablePaper>
      <DataTable
        highlightOnHover
        rows={summaries}
        keyOf={({ configurationId }) => configurationId}
        columns={[
          {
            label: t('Rule set'),
            width: '40%',
            cell: (summary) => (
              <>
                <RowLink to={`configurations/${encodeURIComponent(summary.configurationId)}`}>
                  {titleOf(summary)}
                </RowLink>
                {summary.name && <Hint className="mark">{summary.configurationId}</Hint>}
                {summary.description && <Hint className="clamp-2">{summary.description}</Hint>}
                <DraftHint draft={drafts.get(summary.configurationId)} />
                <Hint hiddenFrom="sm">{contentWords(summary)}</Hint>
              </>
            ),
          },
          {
            label: t('State'),
            cell: (summary) =>
              summary.version > 0 ? <States summary={summary} /> : <Badge color="blue">{t('New')}</Badge>,
          },
          { label: t('Content'), from: 'sm', cell: contentWords },
          {
            label: t('Last edited'),
            from: 'md',
            isQuiet: true,
            cell: (summary) => <LastEdit summary={summary} />,
          },
          {
            label: t('Actions'),
            isActions: true,
            cell: (summary) => <RowActions summary={summary} known={known} />,
          },
        ]}
      />
    </TablePaper>
  );
}

/** Badges of the live version and of the next one. */
export function States({ summary }: { summary: Pick<ConfigurationSummary, 'periods'> }) {
  const { timeZone } = useConsole().environment;
  return (
    <Group gap={4} component="span">
      {statesOf(summary, timeZone).map(({ label, color }) => (
        <Badge key={label} color={color} component="span">
          {label}
        </Badge>
      ))}
    </Group>
  );
}

function DraftHint({ draft }: { draft: { author: string; savedAt: Date; proposal?: string } | undefined }) {
  if (!draft) return null;
  const { author } = draft;
  const savedAt = formatAgo(draft.savedAt);
  return (
    <Hint truncate maw={{ base: 120, sm: 320 }} title={`${formatMoment(draft.savedAt)}, ${author}`}>
      {draft.proposal === undefined
        ? t('Draft, {savedAt}, by {author}', { savedAt, author })
        : t('Proposed, {savedAt}, by {author}', { savedAt, author })}
    </Hint>
  );
}

function LastEdit({ summary: { version, updateTime } }: { summary: ConfigurationSummary }) {
  if (version === 0) return t('not published');
  const edited = momentOf(updateTime);
  return (
    <span title={edited && formatMoment(edited)} style={{ whiteSpace: 'nowrap' }}>
      {edited
        ? t('version {version}, {edited}', { version, edited: formatAgo(edited) })
        : t('version {version}', { version })}
    </span>
  );
}

/** Counts of rules and preferences, and of what a rule set for searches adds. */
function contentWords({ search, constraints, preferences, ...summary }: ConfigurationSummary): string {
  if (summary.version === 0) return '';
  const counts = [
    [summary.pins, 'pin'],
    [summary.hides, 'hidden item'],
    [summary.promotedContent, 'banner'],
    [summary.redirect ? 1 : 0, 'redirect'],
  ] as const;
  return [
    (!search || constraints > 0) && formatCounted(constraints, 'rule'),
    (!search || preferences > 0) && formatCounted(preferences, 'preference'),
    ...counts.map(([count, one]) => count > 0 && formatCounted(count, one)),
  ]
    .filter(Boolean)
    .join(', ');
}

type NewConfigurationProps = { isOpen: boolean; known: ReadonlySet<string>; onClose(): void };

/** Asks for the ID; nothing is stored before a change. */
function NewConfiguration({ isOpen, known, onClose }: NewConfigurationProps) {
  const { pathTo } = useConsole();
  const [, navigate] = useLocation();
  const [typed, setTyped] = useState('');
  const id = typed.trim();
  const isKnown = known.has(id);
  const open = () => navigate(pathTo(`configurations/${encodeURIComponent(id)}`));
  return (
    <Modal opened={isOpen} onClose={onClose} title={t('New rule set')}>
      <Form submit={t('Create')} isIncomplete={!id || isKnown} onSubmit={open} onClose={onClose}>
        <TextField
          label={t('ID')}
          description={t('1 to 256 characters; recommendation requests use it.')}
          placeholder={t('e.g. home')}
          maxLength={256}
          data-autofocus
          value={typed}
          error={isKnown ? t('A rule set with this ID exists.') : undefined}
          onChange={setTyped}
        />
      </Form>
    </Modal>
  );
}
