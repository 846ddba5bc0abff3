import { useQuery } from '@connectrpc/connect-query';
import { Badge, Button, Paper, SegmentedControl, Table, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { FileSliders, Plus } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Configuration } from '../../../gen/es/personalisation/v1/configuration_pb.js';
import { ConfigurationService } from '../../../gen/es/personalisation/v1/configuration_service_pb.js';
import { Empty } from '../kit/empty.tsx';
import { ErrorNotice } from '../kit/error-notice.tsx';
import { formatAgo, formatCount, formatCounted, formatMoment } from '../kit/format.ts';
import { MoreButton } from '../kit/more-button.tsx';
import { PageFrame, PageSkeleton } from '../kit/page.tsx';
import { momentOf } from '../kit/timestamp.ts';
import { useAddress } from '../service/address.ts';
import { useConsole } from '../service/console-context.ts';
import { Calendar } from './calendar.tsx';
import { text } from './editor/text.ts';
import { NewConfiguration } from './new-configuration.tsx';
import { scheduleOf } from './schedule.ts';
import { useConfigurations } from './use-configurations.ts';

/** Rows shown at first, and with each demand for more: every row asks for its configuration. */
const rowsAtOnce = 100;

/** All configurations, with what each is about and whether it is in force, or when. */
export function ConfigurationList() {
  const { data, error, refetch } = useQuery(ConfigurationService.method.listConfigurations);
  const { values, set } = useAddress<'view'>();
  const [isCreating, creating] = useDisclosure(false);
  const [rowCount, setRowCount] = useState(rowsAtOnce);
  const showsCalendar = values.view === 'calendar';
  const ids = data?.configurationIds ?? [];
  const shown = showsCalendar ? ids : ids.slice(0, rowCount);
  const { configurations, ...read } = useConfigurations(shown);
  const more = {
    hasNextPage: shown.length < ids.length,
    isFetchingNextPage: false,
    fetchNextPage: () => setRowCount(rowCount + rowsAtOnce),
  };
  if (error) return <ErrorNotice error={error} onRetry={refetch} />;
  if (!data) return <PageSkeleton />;
  const create = (
    <Button leftSection={<Plus size={15} aria-hidden />} onClick={creating.open}>
      {text.create}
    </Button>
  );
  return (
    <PageFrame title={text.title} lead={text.lead} actions={create}>
      {ids.length > 0 && (
        <SegmentedControl
          aria-label="View"
          mb="lg"
          data={[
            { value: 'list', label: text.list },
            { value: 'calendar', label: text.calendar },
          ]}
          value={showsCalendar ? 'calendar' : 'list'}
          onChange={(view) => set({ view: view === 'calendar' ? view : '' }, true)}
          transitionDuration={0}
        />
      )}
      {read.error && <ErrorNotice error={read.error} onRetry={read.refetch} />}
      {ids.length > 0 && showsCalendar && (
        <Calendar configurations={configurations.filter((one) => one !== undefined)} />
      )}
      {ids.length > 0 && !showsCalendar && <ConfigurationTable ids={shown} configurations={configurations} />}
      <MoreButton pages={more} label={text.more} />
      {ids.length === 0 && (
        <Paper>
          <Empty icon={FileSliders} title={text.none}>
            {text.noneLead}
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
    <Paper style={{ overflow: 'hidden' }}>
      <Table highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Configuration</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th visibleFrom="sm">Rules</Table.Th>
            <Table.Th visibleFrom="md">Written</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {ids.map((id, place) => (
            <Table.Tr key={id}>
              <Table.Td>
                <Link href={pathTo(`configurations/${encodeURIComponent(id)}`)} className="row-link">
                  <bdi>{id}</bdi>
                </Link>
                <Text size="xs" className="quiet" hiddenFrom="sm">
                  {rulesOf(configurations[place])}
                </Text>
              </Table.Td>
              <Row configuration={configurations[place]} />
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}

function Row({ configuration }: { configuration?: Configuration }) {
  if (!configuration) return <Table.Td colSpan={3} className="quiet" />;
  const { version, updateTime } = configuration;
  const written = momentOf(updateTime);
  const schedule = scheduleOf(configuration);
  return (
    <>
      <Table.Td>
        <Badge variant="light" color={schedule.color} tt="none">
          {schedule.label}
        </Badge>
        {schedule.moment && (
          <Text size="xs" className="quiet">
            {formatMoment(schedule.moment)}
          </Text>
        )}
      </Table.Td>
      <Table.Td visibleFrom="sm" className="numbers" style={{ whiteSpace: 'nowrap' }}>
        {rulesOf(configuration)}
      </Table.Td>
      <Table.Td visibleFrom="md" className="quiet" style={{ whiteSpace: 'nowrap' }}>
        <span title={written && formatMoment(written)}>
          version {version}
          {written && `, ${formatAgo(written)}`}
        </span>
      </Table.Td>
    </>
  );
}

/** How much it says, of each kind that it has; rules and preferences of lists in any case. */
function rulesOf(configuration?: Configuration): string {
  if (!configuration) return '';
  const { constraints, preferences, search } = configuration;
  const steers = search && [
    search.pins.length > 0 && formatCounted(search.pins.length, 'pin'),
    search.hides.length > 0 && `${formatCount(search.hides.length)} hidden`,
    search.promotedContent.length > 0 && formatCounted(search.promotedContent.length, 'banner'),
    search.redirect && 'a redirect',
  ];
  return [
    (!search || constraints.length > 0) && formatCounted(constraints.length, 'rule'),
    (!search || preferences.length > 0) && formatCounted(preferences.length, 'preference'),
    ...(steers ?? []),
  ]
    .filter(Boolean)
    .join(', ');
}
