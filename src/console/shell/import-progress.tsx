import { Group, Progress, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useEffect } from 'react';
import { Link } from 'wouter';
import { type Job, useJob } from '../catalogue/import/job.ts';
import { formatCount } from '../kit/format.ts';
import { useLeaveGuard } from '../kit/leaving.tsx';

/** Progress of the tab's import on other pages, and its result. Closing the tab would stop it, so the browser asks. */
export function ImportProgress({ location }: { location: string }) {
  const job = useJob();
  const isRunning = job?.state === 'running';
  const isElsewhere = job !== undefined && location !== pathOf(job);
  useLeaveGuard(isRunning, false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: reports the end once, wherever the user is then
  useEffect(() => {
    if (job && isElsewhere && (job.state === 'done' || job.state === 'failed'))
      notifications.show({ message: endWords(job), color: job.state === 'done' ? 'green' : 'red' });
  }, [job?.state]);
  if (!isRunning || !isElsewhere) return null;
  const { file, readBytes, acceptedCount, refusedCount, isTrial } = job;
  return (
    <Group px={{ base: 'md', sm: 'xl' }} py="xs" gap="sm" component="section" aria-label="Import in progress">
      <Text size="sm" miw={0} truncate component={Link} href={pathOf(job)} className="row-link">
        {isTrial ? 'Dry run' : 'Import'} of <bdi>{file.name}</bdi>: {formatCount(acceptedCount)} accepted,{' '}
        {formatCount(refusedCount)} refused
      </Text>
      <Progress
        flex="1 1 120px"
        value={(100 * readBytes) / Math.max(file.size, 1)}
        aria-label={`Progress of ${file.name}`}
        transitionDuration={0}
      />
    </Group>
  );
}

const pathOf = ({ environment }: Job): string => `/${environment}/catalogue/import`;

const endWords = ({ state, isTrial, file, acceptedCount, refusedCount }: Job): string =>
  state === 'failed'
    ? `The import of ${file.name} failed. Open the import page to resume it.`
    : `${isTrial ? 'Dry run' : 'Import'} of ${file.name}: ${formatCount(acceptedCount)} accepted, ${formatCount(refusedCount)} refused.`;
