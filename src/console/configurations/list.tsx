import { useQuery } from '@connectrpc/connect-query';
import { Badge, Button, Group, Modal, Paper, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type FormEvent, useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { Configuration } from '../../../gen/es/personalisation/v1/configuration_pb.js';
import { ConfigurationService } from '../../../gen/es/personalisation/v1/configuration_service_pb.js';
import { ViewSwitch } from '../kit/fields.tsx';
import { formatAgo, formatCounted, formatMoment, momentOf } from '../kit/format.ts';
import { FileSliders, Plus } from '../kit/icons.ts';
import { Empty, ErrorNotice, Hint, PageFrame, PageSkeleton } from '../kit/page.tsx';
import { DataTable, MoreButton, TablePaper } from '../kit/table.tsx';
import { useAddress } from '../service/address.ts';
import { useConsole } from '../service/console-context.ts';
import { Calendar } from './calendar.tsx';
import { scheduleOf } from './schedule.ts';
import { useConfigurations } from './use-configurations.ts';

/** Rows per page: each row reads its rule set. */
const pageSize = 100;

const views = [
  { value: 'list', label: 'List' },
  { value: 'calendar', label: 'Calendar' },
];

/** All rule sets with state and content, or a calendar of their schedules. */
export function ConfigurationList() {
  const { data, error, refetch } = useQuery(ConfigurationService.method.listConfigurations);
  const showsCalendar = useAddress<'view'>().values.view === 'calendar';
  const [isCreating, creating] = useDisclosure(false);
  const [rowCount, setRowCount] = useState(pageSize);
  const ids = data?.configurationIds ?? [];
  const shown = showsCalendar ? ids : ids.slice(0, rowCount);
  const { configurations, ...read } = useConfigurations(shown);
  const pages = {
    hasNextPage: shown.length < ids.length,
    isFetchingNextPage: false,
    fetchNextPage: () => setRowCount(rowCount + pageSize),
  };
  if (error) return <ErrorNotice error={error} onRetry={refetch} />;
  if (!data) return <PageSkeleton />;
  const create = (
    <Button leftSection={<Plus size={15} aria-hidden />} onClick={creating.open}>
      New rule set
    </Button>
  );
  return (
    <PageFrame
      title="Rule sets"
      lead="Rules and preferences of lists and searches, shared by all environments."
      actions={create}
    >
      {ids.length > 0 && <ViewSwitch views={views} />}
      {read.error && <ErrorNotice error={read.error} onRetry={read.refetch} />}
      {ids.length > 0 && showsCalendar && (
        <Calendar configurations={configurations.filter((one) => one !== undefined)} />
      )}
      {ids.length > 0 && !showsCalendar && <ConfigurationTable ids={shown} configurations={configurations} />}
      <MoreButton pages={pages} />
      {ids.length === 0 && (
        <Paper>
          <Empty icon={FileSliders} title="No rule set yet">
            A rule set holds the rules and preferences of a list. Recommendation requests name a rule set for
            each list.
          </Empty>
        </Paper>
      )}
      <NewConfiguration isOpen={isCreating} known={ids} onClose={creating.close} />
    </PageFrame>
  );
}

type ConfigurationTableProps = { ids: string[]; configurations: (Configuration | undefined)[] };

function ConfigurationTable({ ids, configurations }: ConfigurationTableProps) {
  const { pathTo } = useConsole();
  return (
    <TablePaper>
      <DataTable
        highlightOnHover
        rows={ids}
        keyOf={(id) => id}
        columns={[
          {
            label: 'Rule set',
            cell: (id, index) => (
              <>
                <Link href={pathTo(`configurations/${encodeURIComponent(id)}`)} className="row-link">
                  <bdi>{id}</bdi>
                </Link>
                <Hint hiddenFrom="sm">{contentWords(configurations[index])}</Hint>
              </>
            ),
          },
          { label: 'State', cell: (_, index) => <State configuration={configurations[index]} /> },
          { label: 'Content', from: 'sm', cell: (_, index) => contentWords(configurations[index]) },
          {
            label: 'Last edited',
            from: 'md',
            isQuiet: true,
            cell: (_, index) => <LastEdit configuration={configurations[index]} />,
          },
        ]}
      />
    </TablePaper>
  );
}

function State({ configuration }: { configuration?: Configuration }) {
  const { timeZone } = useConsole().environment;
  if (!configuration) return null;
  const { label, color, moment } = scheduleOf(configuration);
  return (
    <>
      <Badge color={color}>{label}</Badge>
      {moment && <Hint>{formatMoment(moment, timeZone)}</Hint>}
    </>
  );
}

function LastEdit({ configuration }: { configuration?: Configuration }) {
  if (!configuration) return null;
  const edited = momentOf(configuration.updateTime);
  return (
    <span title={edited && formatMoment(edited)} style={{ whiteSpace: 'nowrap' }}>
      version {configuration.version}
      {edited && `, ${formatAgo(edited)}`}
    </span>
  );
}

/** Counts of rules and preferences, and of what a rule set for searches adds. */
function contentWords(configuration?: Configuration): string {
  if (!configuration) return '';
  const { constraints, preferences, search } = configuration;
  const counts: [count: number, one: string][] = [
    [search?.pins.length ?? 0, 'pin'],
    [search?.hides.length ?? 0, 'hidden item'],
    [search?.promotedContent.length ?? 0, 'banner'],
    [search?.redirect ? 1 : 0, 'redirect'],
  ];
  return [
    (!search || constraints.length > 0) && formatCounted(constraints.length, 'rule'),
    (!search || preferences.length > 0) && formatCounted(preferences.length, 'preference'),
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
