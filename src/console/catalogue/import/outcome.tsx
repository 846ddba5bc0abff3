import { Button, Group, Paper, Progress, SimpleGrid, Text } from '@mantine/core';
import { saveText } from '../../kit/files.ts';
import { formatCount, formatPlace } from '../../kit/format.ts';
import { ErrorNotice, Hint, Section } from '../../kit/page.tsx';
import { DataTable } from '../../kit/table.tsx';
import { type Job, stopJob } from './job.ts';

/** Progress and result of a dry run or an import. */
export function Outcome({ job, onResume }: { job: Job; onResume(): void }) {
  const { file, state, readBytes, isTrial, acceptedCount, newCount, refusedCount, error } = job;
  const isRunning = state === 'running';
  const figures: [number, string][] = [
    [acceptedCount, 'accepted'],
    [newCount, 'new'],
    [acceptedCount - newCount, 'updated'],
    [refusedCount, 'refused'],
  ];
  return (
    <>
      <Paper p="md" component="section" aria-label="Import items">
        <Group justify="space-between" mb="sm" mih={30}>
          <Text fw={600} role="status">
            {stateWords(job)}
          </Text>
          {isRunning && (
            <Button size="xs" variant="default" onClick={stopJob}>
              Stop
            </Button>
          )}
          {(state === 'stopped' || state === 'failed') && (
            <Button size="xs" variant="default" onClick={onResume}>
              Resume
            </Button>
          )}
        </Group>
        <Progress
          value={isRunning ? (100 * readBytes) / Math.max(file.size, 1) : 100}
          aria-label={isTrial ? 'Dry run' : 'Import'}
          color={state === 'failed' ? 'red' : undefined}
          transitionDuration={0}
        />
        <SimpleGrid cols={{ base: 2, sm: 4 }} mt="md">
          {figures.map(([count, label]) => (
            <div key={label}>
              <Text fz={20} fw={600} className="numbers">
                {formatCount(count)}
              </Text>
              <Hint>{label}</Hint>
            </div>
          ))}
        </SimpleGrid>
      </Paper>
      {error && <ErrorNotice error={error} />}
      {refusedCount > 0 && <Reasons reasons={job.reasons} />}
      {refusedCount > 0 && <RefusedLines job={job} />}
    </>
  );
}

function stateWords({ state, isTrial }: Job): string {
  if (state === 'running')
    return isTrial ? 'Dry run: nothing is stored' : 'Importing; continues while you visit other pages';
  if (state === 'stopped')
    return isTrial ? 'Stopped; nothing was stored' : 'Stopped; accepted items are stored';
  if (state === 'failed') return 'Stopped by an error';
  return isTrial ? 'Dry run done: nothing was stored' : 'Imported';
}

const mostShown = 50;

function Reasons({ reasons }: Pick<Job, 'reasons'>) {
  return (
    <Section title="Reasons">
      <DataTable
        layout="fixed"
        rows={reasons.slice(0, mostShown)}
        keyOf={({ pointer, detail }) => pointer + detail}
        columns={[
          { label: 'Lines', width: 90, isNumber: true, cell: ({ count }) => formatCount(count) },
          { label: 'Field', width: 180, cell: ({ pointer }) => pointer.slice(1) },
          { label: 'Reason', cell: ({ detail }) => detail },
        ]}
      />
    </Section>
  );
}

function RefusedLines({ job: { file, refused, refusedCount, rejected } }: { job: Job }) {
  const save = () => {
    const isTable = !rejected[0]?.startsWith('{');
    const [ending, type] = isTable ? ['csv', 'text/csv'] : ['ndjson', 'application/x-ndjson'];
    saveText(
      `${file.name}.rejected.${ending}`,
      rejected.map((line) => `${line}\n`),
      type,
    );
  };
  const exportButton = (
    <Button size="xs" variant="default" onClick={save}>
      Export
    </Button>
  );
  return (
    <Section title="Refused lines" actions={exportButton}>
      <DataTable
        layout="fixed"
        rows={refused.slice(0, mostShown)}
        keyOf={({ line }) => line}
        columns={[
          { label: 'Line', width: 90, isNumber: true, cell: ({ line }) => formatPlace(line) },
          {
            label: 'Errors',
            cell: ({ faults }) =>
              faults.map(({ pointer, detail }) => (
                <div key={pointer + detail}>
                  <span className="mark">{pointer.slice(1)}</span> {detail}
                </div>
              )),
          },
        ]}
      />
      {refusedCount > mostShown && (
        <Hint mt="xs">
          Shows the first {formatCount(mostShown)}.
          {refusedCount > refused.length && ` The export has the first ${formatCount(refused.length)}.`}
        </Hint>
      )}
    </Section>
  );
}
