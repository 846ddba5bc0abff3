import { useMutation, useQuery } from '@connectrpc/connect-query';
import { Button, Group, Paper, Textarea } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { type FormEvent, useState } from 'react';
import {
  type BlockedQueries as Blocked,
  BlockedQueryService,
} from '../../../gen/es/personalisation/v1/blocked_query_service_pb.js';
import { formatCount } from '../kit/format.ts';
import { ErrorNotice, Loading } from '../kit/page.tsx';
import { useRefresh } from '../kit/queries.ts';
import { useAddress } from '../service/address.ts';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';

const mostPhrases = 2_000;

/** Editor of the words and phrases that are never suggested. */
export function BlockedQueries() {
  const { environment } = useConsole();
  const request = { environment: environment.name };
  const { data, error, refetch } = useQuery(BlockedQueryService.method.getBlockedQueries, request);
  const blocked = data?.blockedQueries;
  if (!blocked) return error ? <ErrorNotice error={error} onRetry={refetch} /> : <Loading h={240} />;
  return <Editor key={blocked.revision} blocked={blocked} />;
}

function Editor({ blocked: { phrases, revision } }: { blocked: Blocked }) {
  const { environment, mayChange } = useConsole();
  const mayPublish = mayChange('configurations', 'publish');
  const { values, set } = useAddress<'add'>();
  const stored = phrases.join('\n');
  const [draft, setDraft] = useState(values.add ? [...phrases, values.add].join('\n') : stored);
  const save = useMutation(BlockedQueryService.method.putBlockedQueries, {
    ...useRefresh(),
    onSuccess: () => void notifications.show({ message: t('Blocked queries saved.'), color: 'green' }),
  });
  const wanted = phrasesOf(draft);
  const isTooLong = wanted.length > mostPhrases;
  const change = (next: string) => {
    save.reset();
    setDraft(next);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    /** The draft contains it, and the editor of the next revision must not add it again. */
    set({ add: '' });
    const blockedQueries = { phrases: wanted };
    save.mutate({ environment: environment.name, blockedQueries, expectedRevision: revision });
  };
  return (
    <Paper p="md" component="form" onSubmit={submit} aria-label={t('Blocked queries')}>
      <Textarea
        label={t('Words and phrases, one per line')}
        description={t(
          'Queries with one of them are not suggested to other visitors. Case, accents and punctuation are ignored; whole words are compared.',
        )}
        value={draft}
        onChange={(event) => change(event.currentTarget.value)}
        error={
          isTooLong
            ? t('Must be at most {count} words and phrases.', { count: formatCount(mostPhrases) })
            : undefined
        }
        readOnly={!mayPublish}
        autosize
        minRows={8}
        maxRows={24}
      />
      {save.error && <ErrorNotice error={save.error} />}
      <Group justify="flex-end" mt="md" display={mayPublish ? undefined : 'none'}>
        <Button variant="default" disabled={draft === stored} onClick={() => change(stored)}>
          {t('Discard')}
        </Button>
        <Button type="submit" loading={save.isPending} disabled={isTooLong || wanted.join('\n') === stored}>
          {t('Save')}
        </Button>
      </Group>
    </Paper>
  );
}

/** Distinct lines, without empty ones. */
function phrasesOf(draft: string): string[] {
  const lines = draft.split('\n').map((line) => line.trim());
  return [...new Set(lines.filter((line) => line !== ''))];
}
