import { Group, Progress, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useIsMutating, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { type Import, ImportState } from '../../../gen/es/personalisation/v1/import_pb.js';
import { isUnderWay, uploading, useImports } from '../catalogue/import/imports.ts';
import { formatCount } from '../kit/format.ts';
import { useLeaveGuard } from '../kit/leaving.tsx';
import { useConsole } from '../service/console-context.ts';
import { rich } from '../texts/rich-text.ts';
import { t, type Text as Words } from '../texts/texts.ts';

/**
 * Progress of the environment's imports on other pages, and their results. Closing the tab ends an
 * upload, so the browser asks.
 */
export function ImportProgress({ location }: { location: string }) {
  const { pathTo } = useConsole();
  const path = pathTo('catalogue/import');
  const running = useImports().data?.filter(isUnderWay) ?? [];
  useLeaveGuard(useIsMutating({ mutationKey: uploading }) > 0, false);
  useReports(location === path);
  if (location === path) return null;
  return running.map(({ importId, fileName, validateOnly, acceptedCount, rejectedCount, progress }) => (
    <Group
      key={importId}
      px={{ base: 'md', sm: 'xl' }}
      py="xs"
      gap="sm"
      component="section"
      aria-label={t('Import in progress')}
    >
      <Text size="sm" miw={0} truncate component={Link} href={`${path}?id=${importId}`} className="row-link">
        {rich(countsText(validateOnly), {
          fileName: <bdi>{fileName}</bdi>,
          acceptedCount: formatCount(acceptedCount),
          rejectedCount: formatCount(rejectedCount),
        })}
      </Text>
      <Progress
        flex="1 1 120px"
        value={100 * progress}
        aria-label={t('Progress of {fileName}', { fileName })}
        transitionDuration={0}
      />
    </Group>
  ));
}

const countsText = (validateOnly: boolean): Words =>
  validateOnly
    ? 'Dry run of {fileName}: {acceptedCount} accepted, {rejectedCount} rejected'
    : 'Import of {fileName}: {acceptedCount} accepted, {rejectedCount} rejected';

/** Reports the end of each import that was seen running, unless its page is open. */
function useReports(isOpen: boolean): void {
  const { data } = useImports();
  const queryClient = useQueryClient();
  const seen = useRef(new Set<string>());
  // biome-ignore lint/correctness/useExhaustiveDependencies: reports the end once, wherever the user is then
  useEffect(() => {
    for (const one of data ?? []) {
      if (isUnderWay(one)) seen.current.add(one.importId);
      else if (seen.current.delete(one.importId)) {
        if (!one.validateOnly) void queryClient.invalidateQueries();
        if (!isOpen)
          notifications.show({
            message: endWords(one),
            color: one.state === ImportState.DONE ? 'green' : 'red',
          });
      }
    }
  }, [data]);
}

const endWords = ({ state, validateOnly, fileName, acceptedCount, rejectedCount }: Import): string =>
  state === ImportState.FAILED
    ? t('The import of {fileName} failed. Open the import page to see why.', { fileName })
    : `${t(countsText(validateOnly), {
        fileName,
        acceptedCount: formatCount(acceptedCount),
        rejectedCount: formatCount(rejectedCount),
      })}.`;
