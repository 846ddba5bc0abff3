import { useMutation } from '@connectrpc/connect-query';
import { Autocomplete, Button, Group, MultiSelect, SimpleGrid, Stack } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useLocation } from 'wouter';
import { BatchService } from '../../../gen/es/personalisation/v1/batch_service_pb.js';
import { keyWords } from '../grammar/words.ts';
import { useEmptied } from '../kit/fields.tsx';
import { ErrorNotice, PageFrame, Section } from '../kit/page.tsx';
import { useRefresh } from '../kit/queries.ts';
import { useAddress } from '../service/address.ts';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';
import { addressOf, type Draft, type DraftKey, draftOf, isReady, readIds, requestOf } from './draft.ts';
import { ListFields } from './list-fields.tsx';
import { RecipientFields } from './recipient-fields.tsx';

/** Form of a batch; the address holds the draft, except for IDs. */
export function NewBatch() {
  const { environment, pathTo } = useConsole();
  const [, navigate] = useLocation();
  const { values, set } = useAddress<DraftKey>();
  const [typed, setTyped] = useState('');
  const draft = draftOf(values, environment.pageTypes);
  const ids = readIds(typed);
  const change = (changes: Partial<Draft>) => set(addressOf({ ...draft, ...changes }));
  const create = useMutation(BatchService.method.createBatch, useRefresh());
  const submit = (event: FormEvent) => {
    event.preventDefault();
    /** Callbacks of `mutate` do not run after the user has left the page. */
    create.mutate(
      { environment: environment.name, batch: requestOf(draft, ids) },
      { onSuccess: ({ batch }) => navigate(pathTo(`batches/${batch?.batchId}`)) },
    );
  };
  return (
    <PageFrame
      title={t('New batch')}
      lead={t('Creates lists as a file; sends nothing. Each list has a request ID for your events.')}
    >
      <form onSubmit={submit}>
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
          <RecipientFields draft={draft} typed={typed} ids={ids} onType={setTyped} onChange={change} />
          <Contents draft={draft} onChange={change} />
        </SimpleGrid>
        {create.error && <ErrorNotice error={create.error} />}
        <Group justify="flex-end" mt="lg">
          <Button type="submit" loading={create.isPending} disabled={!isReady(draft, ids)}>
            {t('Create batch')}
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
    <Section title={t('Content')}>
      <Stack gap="sm">
        <ListFields lists={draft.lists} onChange={(lists) => onChange({ lists })} />
        <Autocomplete label={t('Page type')} data={environment.pageTypes} maxLength={256} {...page} />
        <MultiSelect
          label={t('Item fields, besides the ID')}
          data={environment.returnedFields.map((key) => ({ value: key, label: keyWords(key) }))}
          value={draft.fields}
          onChange={(fields) => onChange({ fields })}
          searchable
        />
      </Stack>
    </Section>
  );
}
