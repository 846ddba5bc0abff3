import { Button, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorNotice, PageFrame, PageLink, PageSkeleton } from '../../kit/page.tsx';
import { useConsole } from '../../service/console-context.ts';
import { Drop } from './drop.tsx';
import { forgetJob, useJob } from './job.ts';
import { Plan } from './plan.tsx';
import { readSample } from './read-file.ts';

/** Imports items from a file: mapping, dry run, import. */
export function ImportPage() {
  const { environment } = useConsole();
  const job = useJob();
  const known = job?.environment === environment.name ? job : undefined;
  const [picked, setPicked] = useState<File>();
  const file = picked ?? known?.file;
  const choose = (next: File | undefined) => {
    forgetJob();
    setPicked(next);
  };
  return (
    <PageFrame
      title="Import items"
      lead={
        <>
          <PageLink to="catalogue">Catalogue</PageLink> /{' '}
          {file ? <bdi>{file.name}</bdi> : 'A dry run shows the result before anything is stored.'}
        </>
      }
      actions={
        file && (
          <Button variant="default" disabled={known?.state === 'running'} onClick={() => choose(undefined)}>
            Choose another file
          </Button>
        )
      }
    >
      {file ? <Opened key={file.name + file.lastModified} file={file} /> : <Drop onFile={choose} />}
    </PageFrame>
  );
}

function Opened({ file }: { file: File }) {
  const { data, error } = useQuery({
    queryKey: ['columns', file.name, file.lastModified, file.size],
    queryFn: () => readSample(file),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (error) return <ErrorNotice error={error} />;
  if (!data) return <PageSkeleton />;
  return (
    <Stack gap="lg">
      <Plan file={file} sample={data} />
    </Stack>
  );
}
