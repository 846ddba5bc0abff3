import { useMutation, useQuery } from '@connectrpc/connect-query';
import { Button, Group, Paper, Skeleton, Textarea } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { type FormEvent, useState } from 'react';
import {
  type BlockedQueries as Blocked,
  BlockedQueryService,
} from '../../../../gen/es/personalisation/v1/blocked_query_service_pb.js';
import { ErrorNotice } from '../../kit/error-notice.tsx';
import { formatCount } from '../../kit/format.ts';
import { useRefresh } from '../../kit/refresh.ts';
import { useAddress } from '../../service/address.ts';
import { useConsole } from '../../service/console-context.ts';
import { text } from './text.ts';

const mostPhrases = 2_000;

/** The words and phrases whose queries are suggested to nobody, as a text to edit. */
export function BlockedQueries() {
  const { environment } = useConsole();
  const { data, error, refetch } = useQuery(BlockedQueryService.method.getBlockedQueries, {
    environment: environment.name,
  });
  const blocked = data?.blockedQueries;
  if (!blocked) return error ? <ErrorNotice error={error} onRetry={refetch} /> : <Skeleton h={240} />;
  return <Editor key={blocked.revision} blocked={blocked} />;
}

function Editor({ blocked: { phrases, revision } }: { blocked: Blocked }) {
  const { environment } = useConsole();
  const refresh = useRefresh();
  const { values, set } = useAddress<'add'>();
  const before = phrases.join('\n');
  const [draft, setDraft] = useState(values.add ? [...phrases, values.add].join('\n') : before);
  const save = useMutation(BlockedQueryService.method.putBlockedQueries, {
    ...refresh,
    onSuccess: () => void notifications.show({ message: text.saved, color: 'green' }),
  });
  const wanted = phrasesOf(draft);
  const isTooLong = wanted.length > mostPhrases;
  const change = (next: string) => {
    save.reset();
    setDraft(next);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    /** It is in the draft; the editor of the next revision must not add it again. */
    set({ add: '' });
    const blockedQueries = { phrases: wanted };
    save.mutate({ environment: environment.name, blockedQueries, expectedRevision: revision });
  };
  return (
    <Paper p="md" component="form" onSubmit={submit} aria-label={text.title}>
      <Textarea
        label={text.label}
        description={text.hint}
        value={draft}
        onChange={(event) => change(event.currentTarget.value)}
        error={isTooLong ? text.tooMany(formatCount(mostPhrases)) : undefined}
        autosize
        minRows={8}
        maxRows={24}
      />
      {save.error && <ErrorNotice error={save.error} />}
      <Group justify="flex-end" mt="md">
        <Button variant="default" disabled={draft === before} onClick={() => change(before)}>
          {text.discard}
        </Button>
        <Button type="submit" loading={save.isPending} disabled={isTooLong || wanted.join('\n') === before}>
          {text.save}
        </Button>
      </Group>
    </Paper>
  );
}

/** Each once, without empty lines. */
function phrasesOf(draft: string): string[] {
  const lines = draft.split('\n').map((line) => line.trim());
  return [...new Set(lines.filter((line) => line !== ''))];
}
