import { useInfiniteQuery } from '@connectrpc/connect-query';
import { Group, Text } from '@mantine/core';
import { Link } from 'wouter';
import { BatchService } from '../../../gen/es/personalisation/v1/batch_service_pb.js';
import { formatCount, momentOf } from '../kit/format.ts';
import { CalendarClock, Mails } from '../kit/icons.ts';
import { Hint, Section } from '../kit/page.tsx';
import { byPageToken } from '../kit/queries.ts';
import { Ago, ResourceList } from '../kit/table.tsx';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';
import { BatchProgress, batchWords, busyMs, isUnderWay, StateBadge } from './states.tsx';

const pageSize = 50;

const text = {
  title: t('Batches'),
  lead: t('Lists for many people at once, for e-mails and push messages. Live requests have priority.'),
  create: t('New batch'),
  none: t('No batch yet'),
  noneLead: t('Create lists for recently active people, an audience, or IDs from a file.'),
};

export function BatchList() {
  const { environment, pathTo } = useConsole();
  const pages = useInfiniteQuery(
    BatchService.method.listBatches,
    { environment: environment.name, pageSize, pageToken: '' },
    {
      ...byPageToken,
      refetchInterval: ({ state }) =>
        state.data?.pages.some(({ batches }) => batches.some(isUnderWay)) ? busyMs : false,
    },
  );
  return (
    <ResourceList
      text={text}
      icon={Mails}
      createPath={pathTo('batches/new')}
      pages={pages}
      rows={pages.data?.pages.flatMap(({ batches }) => batches)}
      keyOf={({ batchId }) => batchId}
      columns={[
        {
          label: t('Batch'),
          cell: (batch) => (
            <>
              <Link href={pathTo(`batches/${batch.batchId}`)} className="row-link">
                <bdi>{batchWords(batch)}</bdi>
              </Link>
              {batch.schedule && (
                <Hint>
                  <bdi>{batch.schedule}</bdi>
                </Hint>
              )}
            </>
          ),
        },
        {
          label: t('State'),
          cell: (batch) => (
            <>
              <StateBadge batch={batch} />
              {isUnderWay(batch) && <BatchProgress batch={batch} size="xs" />}
            </>
          ),
        },
        { label: t('Lists created'), isNumber: true, cell: (batch) => formatCount(batch.answeredCount) },
        {
          label: t('Requested'),
          from: 'sm',
          isQuiet: true,
          cell: (batch) => <Ago time={momentOf(batch.requestTime)} />,
        },
      ]}
    >
      <Schedules />
    </ResourceList>
  );
}

/** Daily batches of the deployment file. */
function Schedules() {
  const { batchSchedules, timeZone } = useConsole().environment;
  if (batchSchedules.length === 0) return null;
  return (
    <Section title={t('Scheduled batches')} mb="lg">
      {batchSchedules.map(({ name, times }) => (
        <Group key={name} gap="xs" wrap="nowrap">
          <CalendarClock size={15} aria-hidden style={{ flexShrink: 0 }} />
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            <bdi>{name}</bdi>{' '}
            <span className="quiet">
              {t('daily at {times} {timeZone}', { times: times.join(', '), timeZone })}
            </span>
          </Text>
        </Group>
      ))}
    </Section>
  );
}
