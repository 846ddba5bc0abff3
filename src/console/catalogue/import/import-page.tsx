import { Button, Select, Stack } from '@mantine/core';
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

const encodings = [
  'utf-8',
  ...['windows-1250', 'windows-1251', 'windows-1252', 'windows-1253', 'windows-1254', 'windows-1257'],
  ...['iso-8859-2', 'koi8-r', 'gb18030', 'big5', 'shift_jis', 'euc-kr'],
];

function Opened({ file }: { file: File }) {
  const job = useJob();
  const [encoding, setEncoding] = useState(job?.file === file ? job.encoding : undefined);
  const { data, error } = useQuery({
    queryKey: ['columns', file.name, file.lastModified, file.size, encoding],
    queryFn: () => readSample(file, encoding),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (error) return <ErrorNotice error={error} />;
  if (!data) return <PageSkeleton />;
  return (
    <Stack gap="lg">
      {(encoding ?? data.guess) && (
        <Select
          label="Encoding"
          description="The file does not say how its letters are encoded. Check the examples."
          data={encodings}
          value={encoding ?? data.guess}
          onChange={(next) => setEncoding(next ?? undefined)}
          allowDeselect={false}
          maw={280}
        />
      )}
      <Plan key={encoding} file={file} sample={data} encoding={encoding} />
    </Stack>
  );
}
