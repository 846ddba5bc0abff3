import { Group, Text } from '@mantine/core';
import { Route, Switch } from 'wouter';
import { BatchService } from '../../../gen/es/personalisation/v1/batch_service_pb.js';
import { formatCount } from '../kit/format.ts';
import { CalendarClock, Mails } from '../kit/icons.ts';
import { Hint, RowLink, Section } from '../kit/page.tsx';
import { Ago, ResourceList } from '../kit/table.tsx';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';
import { BatchPage } from './batch-page.tsx';
import { NewBatch } from './new-batch.tsx';
import { BatchProgress, batchWords, busyMs, isUnderWay, StateBadge } from './states.tsx';

export function Page() {
  return (
    <Switch>
      <Route path="/:environment/batches/new">
        <NewBatch />
      </Route>
      <Route path="/:environment/batches/:id">
        {({ id }) => <BatchPage key={id} batchId={decodeURIComponent(id)} />}
      </Route>
      <Route>
        <BatchList />
      </Route>
    </Switch>
  );
}

const text = {
  title: t('Batches'),
  lead: t('Lists for many people at once, for e-mails and push messages. Live requests have priority.'),
  create: t('New batch'),
  none: t('No batch yet'),
  noneLead: t('Create lists for recently active people, an audience, or IDs from a file.'),
};

function BatchList() {
  return (
    <ResourceList
      text={text}
      icon={Mails}
      createPath="batches/new"
      method={BatchService.method.listBatches}
      rowsOf={({ batches }) => batches}
      refreshMs={(rows) => rows.some(isUnderWay) && busyMs}
      keyOf={({ batchId }) => batchId}
      columns={[
        {
          label: t('Batch'),
          cell: (batch) => (
            <>
              <RowLink to={`batches/${batch.batchId}`}>{batchWords(batch)}</RowLink>
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
          cell: (batch) => <Ago time={batch.requestTime} />,
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
          <CalendarClock size={15} style={{ flexShrink: 0 }} />
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
