import { Button, Group, Paper, Progress, SimpleGrid, Table, Text, Title } from '@mantine/core';
import { ErrorNotice } from '../../kit/error-notice.tsx';
import { formatCount, formatPlace } from '../../kit/format.ts';
import { saveText } from '../../kit/save.ts';
import { type Job, stopJob } from './job.ts';
import { text } from './text.ts';

/** How far it has come, and what became of it. */
export function Outcome({ job, onGoOn }: { job: Job; onGoOn(): void }) {
  const { file, state, readBytes, isTrial, acceptedCount, newCount, refusedCount, error } = job;
  const isRunning = state === 'running';
  const share = isRunning ? (100 * readBytes) / Math.max(file.size, 1) : 100;
  const figures: [number, string][] = [
    [acceptedCount, text.accepted],
    [newCount, text.fresh],
    [acceptedCount - newCount, text.known],
    [refusedCount, text.refused],
  ];
  return (
    <>
      <Paper p="md" component="section" aria-label={text.title}>
        <Group justify="space-between" mb="sm" mih={30}>
          <Text fw={600} role="status">
            {stateWords(job)}
          </Text>
          {isRunning && (
            <Button size="xs" variant="default" onClick={stopJob}>
              {text.stop}
            </Button>
          )}
          {(state === 'stopped' || state === 'failed') && (
            <Button size="xs" variant="default" onClick={onGoOn}>
              {text.goOn}
            </Button>
          )}
        </Group>
        <Progress
          value={share}
          aria-label={isTrial ? text.trial : text.start}
          color={state === 'failed' ? 'red' : undefined}
          transitionDuration={0}
        />
        <SimpleGrid cols={{ base: 2, sm: 4 }} mt="md">
          {figures.map(([count, label]) => (
            <div key={label}>
              <Text fz={20} fw={600} className="numbers">
                {formatCount(count)}
              </Text>
              <Text size="xs" className="quiet">
                {label}
              </Text>
            </div>
          ))}
        </SimpleGrid>
      </Paper>
      {error && <ErrorNotice error={error} />}
      {refusedCount > 0 && <RefusedLines job={job} />}
    </>
  );
}

function stateWords({ state, isTrial }: Job): string {
  if (state === 'running') return isTrial ? text.trying : text.importing;
  if (state === 'stopped') return isTrial ? text.stoppedTrial : text.stopped;
  if (state === 'failed') return text.failed;
  return isTrial ? text.tried : text.imported;
}

const mostShown = 50;

function RefusedLines({ job: { file, refused, refusedCount } }: { job: Job }) {
  const save = () =>
    saveText(
      `${file.name}.refused.ndjson`,
      refused.map(({ line, faults }) => `${JSON.stringify({ line, errors: faults.map(plainFault) })}\n`),
      'application/x-ndjson',
    );
  return (
    <Paper p="md" component="section" aria-label={text.refusedTitle}>
      <Group justify="space-between" mb="xs">
        <Title order={2}>{text.refusedTitle}</Title>
        <Button size="xs" variant="default" onClick={save}>
          {text.save}
        </Button>
      </Group>
      <Table layout="fixed">
        <Table.Thead>
          <Table.Tr>
            <Table.Th w={90} ta="end">
              {text.line}
            </Table.Th>
            <Table.Th>{text.fault}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {refused.slice(0, mostShown).map(({ line, faults }) => (
            <Table.Tr key={line}>
              <Table.Td ta="end" className="numbers">
                {formatPlace(line)}
              </Table.Td>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>
                {faults.map(({ pointer, detail }) => (
                  <div key={pointer + detail}>
                    <span className="mark">{pointer.slice(1)}</span> {detail}
                  </div>
                ))}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {refusedCount > mostShown && (
        <Text size="xs" className="quiet" mt="xs">
          {text.first(formatCount(mostShown))}{' '}
          {refusedCount > refused.length && text.firstSaved(formatCount(refused.length))}
        </Text>
      )}
    </Paper>
  );
}

const plainFault = ({ pointer, detail }: { pointer: string; detail: string }) => ({ pointer, detail });
