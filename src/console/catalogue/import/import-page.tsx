import { Button, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { formatOf } from '../../../formats/records/formats.ts';
import { formatCount } from '../../kit/format.ts';
import { ErrorNotice, PageFrame, PageLink, PageSkeleton, RowLink, Section } from '../../kit/page.tsx';
import { Ago, DataTable } from '../../kit/table.tsx';
import { useAddress } from '../../service/address.ts';
import { t } from '../../texts/texts.ts';
import { Drop, takeHandedFile } from './drop.tsx';
import { isUnderWay, useFormerImport, useImport, useImports } from './imports.ts';
import { stateWords } from './outcome.tsx';
import { Plan } from './plan.tsx';
import { type FileSample, readSample } from './read-file.ts';

/** Imports items from a file: mapping, dry run, import. */
export function ImportPage() {
  const { values, set } = useAddress<'id'>();
  const { data: job } = useImport(values.id);
  const [file, setFile] = useState<File | undefined>(takeHandedFile);
  const name = file?.name ?? (values.id && job?.fileName);
  const choose = (next: File | undefined) => {
    set({ id: undefined });
    setFile(next);
  };
  return (
    <PageFrame
      title={t('Import items')}
      lead={
        <>
          <PageLink to="catalogue">{t('Catalogue')}</PageLink> /{' '}
          {name ? <bdi>{name}</bdi> : t('A dry run shows the result before anything is stored.')}
        </>
      }
      actions={name && <Button onClick={() => choose(undefined)}>{t('Choose another file')}</Button>}
    >
      {file && <Opened key={file.name + file.lastModified} file={file} />}
      {!file && values.id && <Stored key={values.id} id={values.id} />}
      {!file && !values.id && (
        <Stack gap="lg">
          <Drop onFile={choose} />
          <Latest />
        </Stack>
      )}
    </PageFrame>
  );
}

function Latest() {
  const { data = [] } = useImports();
  if (data.length === 0) return null;
  return (
    <Section title={t('Latest imports')}>
      <DataTable
        rows={data}
        keyOf={({ importId }) => importId}
        columns={[
          {
            label: t('File'),
            cell: (one) => <RowLink to={`catalogue/import?id=${one.importId}`}>{one.fileName}</RowLink>,
          },
          { label: t('State'), cell: (one) => stateWords(one) },
          {
            label: t('Accepted'),
            from: 'sm',
            isNumber: true,
            cell: ({ acceptedCount }) => formatCount(acceptedCount),
          },
          { label: t('Rejected'), isNumber: true, cell: ({ rejectedCount }) => formatCount(rejectedCount) },
          { label: t('Started'), from: 'sm', cell: ({ startTime }) => <Ago time={startTime} /> },
        ]}
      />
    </Section>
  );
}

/** An import whose file was chosen before the page was loaded, or elsewhere. */
function Stored({ id }: { id: string }) {
  const { data: job, error } = useImport(id);
  const columns = useMemo(() => job?.columns.map((name) => ({ name, samples: [] })), [job?.columns]);
  if (error) return <ErrorNotice error={error} />;
  if (!job || !columns) return <PageSkeleton />;
  const { mapping, expiresAt } = job;
  return (
    <Stack gap="lg">
      <Plan
        columns={columns}
        sources={mapping ? [{ label: t('This import'), mapping, isOwn: true }] : []}
        isAsIs={mapping === ''}
        upload={undefined}
      />
      {!expiresAt && !isUnderWay(job) && (
        <Text size="sm">{t('The file is no longer stored. Choose it again to repeat the import.')}</Text>
      )}
    </Stack>
  );
}

const encodings = [
  'utf-8',
  ...['windows-1250', 'windows-1251', 'windows-1252', 'windows-1253', 'windows-1254', 'windows-1257'],
  ...['iso-8859-2', 'koi8-r', 'gb18030', 'big5', 'shift_jis', 'euc-kr'],
];

function Opened({ file }: { file: File }) {
  const [encoding, setEncoding] = useState<string>();
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
          label={t('Encoding')}
          description={t('The file does not say how its letters are encoded. Check the examples.')}
          data={encodings}
          value={encoding ?? data.guess}
          onChange={(next) => setEncoding(next ?? undefined)}
          allowDeselect={false}
          maw={280}
        />
      )}
      {data.notes.map((note) => (
        <Text key={note} size="sm">
          {note}
        </Text>
      ))}
      <Sampled key={encoding} file={file} sample={data} encoding={encoding} />
    </Stack>
  );
}

type SampledProps = {
  file: File;
  sample: FileSample /** Undefined for the detected one. */;
  encoding?: string;
};

/** Begins with the mapping of the latest import with the same columns, or of a known export. */
function Sampled({ file, sample: { columns, ready }, encoding }: SampledProps) {
  const names = useMemo(() => columns.map(({ name }) => name).filter((name) => name !== ''), [columns]);
  const { data: former, error } = useFormerImport(names);
  const sources = useMemo(
    () => [
      ...(former?.mapping
        ? [
            {
              label: t('Latest import of these columns ({fileName})', { fileName: former.fileName }),
              mapping: former.mapping,
              isOwn: true,
            },
          ]
        : []),
      ...(ready ? [{ label: t('The file is {title}', { title: ready.title }), mapping: ready.text }] : []),
    ],
    [former, ready],
  );
  const isAsIs = formatOf(file.name) === 'ndjson' && names.includes('item_id') && names.includes('item_type');
  if (former === undefined && !error && names.length > 0) return <PageSkeleton />;
  const upload = { file, encoding, columns: names };
  return <Plan columns={columns} sources={sources} isAsIs={isAsIs} upload={upload} />;
}
