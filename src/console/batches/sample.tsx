import { createClient } from '@connectrpc/connect';
import { Box, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Link } from 'wouter';
import type { Batch, BatchResult } from '../../../gen/es/personalisation/v1/batch_pb.js';
import { BatchService } from '../../../gen/es/personalisation/v1/batch_service_pb.js';
import { type ItemLookup, useItems } from '../kit/items.ts';
import { ErrorNotice, Section } from '../kit/page.tsx';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';

const mostPeople = 5;
const mostItems = 6;

/** Lists of the first people, to check before the download. */
export function Sample({ batch: { batchId, answeredCount } }: { batch: Batch }) {
  const { connection, environment } = useConsole();
  const shown = Math.min(answeredCount, mostPeople);
  const { data = [], error } = useQuery({
    queryKey: ['batch results', environment.name, batchId, shown],
    enabled: shown > 0,
    async queryFn() {
      const client = createClient(BatchService, connection.transport);
      const of = { environment: environment.name, batchId, limit: mostPeople };
      const results: BatchResult[] = [];
      for await (const part of client.exportBatchResults(of)) results.push(...part.results);
      return results;
    },
  });
  const ids = useMemo(() => {
    const lists = data.flatMap((result) => result.lists);
    return lists.flatMap(({ items }) => items.slice(0, mostItems).map(({ itemId }) => itemId));
  }, [data]);
  const lookUp = useItems(ids);
  return (
    <Section title={t('First people')} lead={t('Without items that have become unavailable since.')}>
      {error && <ErrorNotice error={error} />}
      {answeredCount === 0 && <Text size="sm">{t('No lists generated yet.')}</Text>}
      <Stack gap="md">
        {data.map((result) => (
          <Lists key={result.offset} result={result} lookUp={lookUp} />
        ))}
      </Stack>
    </Section>
  );
}

function Lists({ result, lookUp }: { result: BatchResult; lookUp: ItemLookup }) {
  const { pathTo, can } = useConsole();
  const { userId, deviceId = '', lists } = result;
  const id = userId ?? deviceId;
  const person = `people?kind=${userId ? 'user' : 'device'}&id=${encodeURIComponent(id)}`;
  return (
    <Box miw={0}>
      <Text size="sm" fw={500}>
        {can('users') ? (
          <Link href={pathTo(person)} className="row-link">
            <bdi>{id}</bdi>
          </Link>
        ) : (
          <bdi>{id}</bdi>
        )}
      </Text>
      {lists.map(({ listName, items }) => (
        <Text key={listName} size="sm" className="quiet" style={{ overflowWrap: 'anywhere' }}>
          <bdi>{listName}</bdi>:{' '}
          {items.slice(0, mostItems).map(({ itemId }, index) => (
            <span key={itemId}>
              {index > 0 && ' · '}
              <bdi>{lookUp({ itemId })?.title ?? itemId}</bdi>
            </span>
          ))}
          {items.length > mostItems && ' …'}
        </Text>
      ))}
    </Box>
  );
}
