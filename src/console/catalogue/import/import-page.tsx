import { Anchor, Button, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { ErrorNotice } from '../../kit/error-notice.tsx';
import { PageFrame, PageSkeleton } from '../../kit/page.tsx';
import { useConsole } from '../../service/console-context.ts';
import { Drop } from './drop.tsx';
import { forgetJob, useJob } from './job.ts';
import { Plan } from './plan.tsx';
import { readColumns } from './read-file.ts';
import { text } from './text.ts';

/** A file becomes items: what its columns are, a dry run, and then the import. */
export function ImportPage() {
  const { environment, pathTo } = useConsole();
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
      title={text.title}
      lead={
        <>
          <Anchor component={Link} href={pathTo('catalogue')} size="sm" underline="always">
            Catalogue
          </Anchor>{' '}
          / {file ? <bdi>{file.name}</bdi> : text.lead}
        </>
      }
      actions={
        file && (
          <Button variant="default" disabled={known?.state === 'running'} onClick={() => choose(undefined)}>
            {text.other}
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
    queryFn: () => readColumns(file),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (error) return <ErrorNotice error={error} />;
  if (!data) return <PageSkeleton />;
  return (
    <Stack gap="lg">
      <Plan file={file} columns={data} />
    </Stack>
  );
}
