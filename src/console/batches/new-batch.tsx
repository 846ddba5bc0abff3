import { useMutation } from '@connectrpc/connect-query';
import { Autocomplete, Button, Group, MultiSelect, Paper, SimpleGrid, Stack, Title } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useLocation } from 'wouter';
import { BatchService } from '../../../gen/es/personalisation/v1/batch_service_pb.js';
import { keyWords } from '../grammar/words.ts';
import { useEmptied } from '../kit/emptied.ts';
import { ErrorNotice } from '../kit/error-notice.tsx';
import { PageFrame } from '../kit/page.tsx';
import { useRefresh } from '../kit/refresh.ts';
import { useAddress } from '../service/address.ts';
import { useConsole } from '../service/console-context.ts';
import { addressOf, type Draft, type DraftKey, draftOf, isReady, readIds, requestOf } from './draft.ts';
import { ListFields } from './list-fields.tsx';
import { PeopleFields } from './people-fields.tsx';
import { text } from './text.ts';

/** Asks for a batch; the address holds what is asked for, but for ids. */
export function NewBatch() {
  const { environment, pathTo } = useConsole();
  const [, navigate] = useLocation();
  const refresh = useRefresh();
  const { values, set } = useAddress<DraftKey>();
  const [written, setWritten] = useState('');
  const draft = draftOf(values, environment.pageTypes);
  const ids = readIds(written);
  const change = (changes: Partial<Draft>) => set(addressOf({ ...draft, ...changes }));
  const ask = useMutation(BatchService.method.createBatch, refresh);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    /** Told to `mutate`, it does not lead somebody away who has gone on to another page. */
    ask.mutate(
      { environment: environment.name, batch: requestOf(draft, ids) },
      { onSuccess: ({ batch }) => navigate(pathTo(`batches/${batch?.batchId}`)) },
    );
  };
  return (
    <PageFrame title={text.newTitle} lead={text.newLead}>
      <form onSubmit={submit}>
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
          <PeopleFields draft={draft} written={written} ids={ids} onWrite={setWritten} onChange={change} />
          <Contents draft={draft} onChange={change} />
        </SimpleGrid>
        {ask.error && <ErrorNotice error={ask.error} />}
        <Group justify="flex-end" mt="lg">
          <Button type="submit" loading={ask.isPending} disabled={!isReady(draft, ids)}>
            {text.start}
          </Button>
        </Group>
      </form>
    </PageFrame>
  );
}

type ContentsProps = { draft: Draft; onChange(changes: Partial<Draft>): void };

function Contents({ draft, onChange }: ContentsProps) {
  const { environment } = useConsole();
  const page = useEmptied(draft.page, (next) => onChange({ page: next }));
  return (
    <Paper p="md" miw={0} component="section" aria-label={text.what}>
      <Title order={2} mb="sm">
        {text.what}
      </Title>
      <Stack gap="sm">
        <ListFields lists={draft.lists} onChange={(lists) => onChange({ lists })} />
        <Autocomplete label={text.pageType} data={environment.pageTypes} maxLength={256} {...page} />
        <MultiSelect
          label={text.fields}
          data={environment.returnedFields.map((key) => ({ value: key, label: keyWords(key) }))}
          value={draft.fields}
          onChange={(fields) => onChange({ fields })}
          searchable
        />
      </Stack>
    </Paper>
  );
}
