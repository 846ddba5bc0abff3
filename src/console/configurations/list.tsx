import { Badge, Button, Group, Modal, Paper, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type FormEvent, useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { ConfigurationSummary } from '../../../gen/es/personalisation/v1/configuration_service_pb.js';
import { ViewSwitch } from '../kit/fields.tsx';
import { formatAgo, formatCounted, formatMoment, momentOf } from '../kit/format.ts';
import { FileSliders, Plus } from '../kit/icons.ts';
import { Empty, ErrorNotice, Hint, PageFrame, PageSkeleton } from '../kit/page.tsx';
import { useRuleSets } from '../kit/rule-sets.ts';
import { DataTable, MoreButton, TablePaper } from '../kit/table.tsx';
import { useAddress } from '../service/address.ts';
import { useConsole } from '../service/console-context.ts';
import { Calendar } from './calendar.tsx';
import { statesOf } from './schedule.ts';

/** Rows per page. */
const pageSize = 100;

const views = [
  { value: 'list', label: 'List' },
  { value: 'calendar', label: 'Calendar' },
];

/** All rule sets with state and content, or a calendar of their schedules. */
export function ConfigurationList() {
  const { data: summaries, error, refetch } = useRuleSets();
  const showsCalendar = useAddress<'view'>().values.view === 'calendar';
  const [isCreating, creating] = useDisclosure(false);
  const [rowCount, setRowCount] = useState(pageSize);
  const pages = {
    hasNextPage: !showsCalendar && summaries !== undefined && rowCount < summaries.length,
    isFetchingNextPage: false,
    fetchNextPage: () => setRowCount(rowCount + pageSize),
  };
  if (error) return <ErrorNotice error={error} onRetry={refetch} />;
  if (!summaries) return <PageSkeleton />;
  const create = (
    <Button leftSection={<Plus size={15} aria-hidden />} onClick={creating.open}>
      New rule set
    </Button>
  );
  return (
    <PageFrame title="Rule sets" lead="Rules and preferences of lists and searches." actions={create}>
      {summaries.length > 0 && <ViewSwitch views={views} />}
      {summaries.length > 0 && showsCalendar && <Calendar summaries={summaries} />}
      {summaries.length > 0 && !showsCalendar && (
        <ConfigurationTable summaries={summaries.slice(0, rowCount)} />
      )}
      <MoreButton pages={pages} />
      {summaries.length === 0 && (
        <Paper>
          <Empty icon={FileSliders} title="No rule set yet">
            A rule set holds the rules and preferences of a list. Recommendation requests name a rule set for
            each list.
          </Empty>
        </Paper>
      )}
      <NewConfiguration
        isOpen={isCreating}
        known={summaries.map(({ configurationId }) => configurationId)}
        onClose={creating.close}
      />
    </PageFrame>
  );
}

function ConfigurationTable({ summaries }: { summaries: ConfigurationSummary[] }) {
  const { pathTo } = useConsole();
  return (
    <TablePaper>
      <DataTable
        highlightOnHover
        rows={summaries}
        keyOf={({ configurationId }) => configurationId}
        columns={[
          {
            label: 'Rule set',
            cell: (summary) => (
              <>
                <Link
                  href={pathTo(`configurations/${encodeURIComponent(summary.configurationId)}`)}
                  className="row-link"
                >
                  <bdi>{summary.configurationId}</bdi>
                </Link>
                <Hint hiddenFrom="sm">{contentWords(summary)}</Hint>
              </>
            ),
          },
          { label: 'State', cell: (summary) => <States summary={summary} /> },
          { label: 'Content', from: 'sm', cell: contentWords },
          {
            label: 'Last edited',
            from: 'md',
            isQuiet: true,
            cell: (summary) => <LastEdit summary={summary} />,
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

function LastEdit({ summary: { version, updateTime } }: { summary: ConfigurationSummary }) {
  const edited = momentOf(updateTime);
  return (
    <span title={edited && formatMoment(edited)} style={{ whiteSpace: 'nowrap' }}>
      version {version}
      {edited && `, ${formatAgo(edited)}`}
    </span>
  );
}

/** Counts of rules and preferences, and of what a rule set for searches adds. */
function contentWords({ search, constraints, preferences, ...summary }: ConfigurationSummary): string {
  const counts: [count: number, one: string][] = [
    [summary.pins, 'pin'],
    [summary.hides, 'hidden item'],
    [summary.promotedContent, 'banner'],
    [summary.redirect ? 1 : 0, 'redirect'],
  ];
  return [
    (!search || constraints > 0) && formatCounted(constraints, 'rule'),
    (!search || preferences > 0) && formatCounted(preferences, 'preference'),
    ...counts.map(([count, one]) => count > 0 && formatCounted(count, one)),
  ]
    .filter(Boolean)
    .join(', ');
}

type NewConfigurationProps = { isOpen: boolean; known: string[]; onClose(): void };

/** Asks for the ID; nothing is stored until the rule set is published. */
function NewConfiguration({ isOpen, known, onClose }: NewConfigurationProps) {
  const { pathTo } = useConsole();
  const [, navigate] = useLocation();
  const [typed, setTyped] = useState('');
  const id = typed.trim();
  const isKnown = known.includes(id);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (id && !isKnown) navigate(pathTo(`configurations/${encodeURIComponent(id)}`));
  };
  return (
    <Modal opened={isOpen} onClose={onClose} title="New rule set">
      <form onSubmit={submit}>
        <TextInput
          label="ID"
          description="1 to 256 characters; recommendation requests use it."
          placeholder="e.g. home"
          maxLength={256}
          data-autofocus
          value={typed}
          error={isKnown ? 'A rule set with this ID exists.' : undefined}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" disabled={!id || isKnown}>
            Create
          </Button>
        </Group>
      </form>
    </Modal>
  );
}
