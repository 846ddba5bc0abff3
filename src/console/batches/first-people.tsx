import { createClient } from '@connectrpc/connect';
import { Box, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Link } from 'wouter';
import type { Batch, BatchResult } from '../../../gen/es/personalisation/v1/batch_pb.js';
import { BatchService } from '../../../gen/es/personalisation/v1/batch_service_pb.js';
import { ErrorNotice } from '../kit/error-notice.tsx';
import { type ItemLookup, useItems } from '../kit/items.ts';
import { useConsole } from '../service/console-context.ts';
import { text } from './text.ts';

const mostPeople = 5;
const mostItems = 6;

/** A look at what is made, before one takes the file. */
export function FirstPeople({ batch }: { batch: Batch }) {
  const { connection, environment } = useConsole();
  const { batchId, answeredCount } = batch;
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
  const ids = useMemo(
    () =>
      data.flatMap(({ lists }) =>
        lists.flatMap(({ items }) => items.slice(0, mostItems).map(({ itemId }) => itemId)),
      ),
    [data],
  );
  const lookUp = useItems(ids);
  return (
    <Paper p="md" component="section" aria-label={text.first}>
      <Title order={2}>{text.first}</Title>
      <Text size="xs" className="quiet" mb="sm">
        {text.firstLead}
      </Text>
      {error && <ErrorNotice error={error} />}
      {answeredCount === 0 && <Text size="sm">{text.noResults}</Text>}
      <Stack gap="md">
        {data.map((result) => (
          <Lists key={result.offset} result={result} lookUp={lookUp} />
        ))}
      </Stack>
    </Paper>
  );
}

function Lists({ result, lookUp }: { result: BatchResult; lookUp: ItemLookup }) {
  const { pathTo, can } = useConsole();
  const { userId, deviceId = '', lists } = result;
  const id = userId ?? deviceId;
  const person = `people?kind=${userId ? 'user' : 'device'}&id=${encodeURIComponent(id)}`;
  return (
    <Box miw={0}>
      {can('users') ? (
        <Link href={pathTo(person)} className="row-link">
          <bdi>{id}</bdi>
        </Link>
      ) : (
        <Text size="sm" fw={500}>
          <bdi>{id}</bdi>
        </Text>
      )}
      {lists.map(({ listName, items }) => (
        <Text key={listName} size="sm" className="quiet" style={{ overflowWrap: 'anywhere' }}>
          <bdi>{listName}</bdi>:{' '}
          {items.slice(0, mostItems).map(({ itemId }, place) => (
            <span key={itemId}>
              {place > 0 && ' · '}
              <bdi>{lookUp({ itemId })?.title ?? itemId}</bdi>
            </span>
          ))}
          {items.length > mostItems && ' …'}
        </Text>
      ))}
    </Box>
  );
}
