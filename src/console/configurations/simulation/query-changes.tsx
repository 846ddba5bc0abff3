import { Badge, Group, Paper, Table, Text, Title } from '@mantine/core';
import { useMemo } from 'react';
import { Link } from 'wouter';
import type { SimulatedQuery } from '../../../../gen/es/personalisation/v1/configuration_service_pb.js';
import { formatCount, formatCounted } from '../../kit/format.ts';
import { type ItemLookup, useItems } from '../../kit/items.ts';
import { useConsole } from '../../service/console-context.ts';

/** What people searched that would show something else first, or send elsewhere. */
export function QueryChanges({ queries }: { queries: readonly SimulatedQuery[] }) {
  const ids = useMemo(
    () => queries.flatMap(({ beforeItemIds, afterItemIds }) => [...beforeItemIds, ...afterItemIds]),
    [queries],
  );
  const lookUp = useItems(ids);
  return (
    <Paper p="md" miw={0} component="section" aria-label="Queries that change">
      <Title order={2} mb="sm">
        Queries that change
      </Title>
      <Table verticalSpacing={5} horizontalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Query</Table.Th>
            <Table.Th ta="end">Searches</Table.Th>
            <Table.Th>With the draft</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {queries.map((query) => (
            <QueryRow key={query.query} query={query} lookUp={lookUp} />
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}

function QueryRow({ query, lookUp }: { query: SimulatedQuery; lookUp: ItemLookup }) {
  const { can, pathTo } = useConsole();
  const { beforeItemIds: before, afterItemIds: after, redirect, promotedCount } = query;
  const entering = after.filter((id) => !before.includes(id));
  const leaving = before.filter((id) => !after.includes(id));
  return (
    <Table.Tr>
      <Table.Td>
        {can('explanations') ? (
          <Link className="row-link" href={`${pathTo('search')}?q=${encodeURIComponent(query.query)}`}>
            <bdi>{query.query}</bdi>
          </Link>
        ) : (
          <bdi>{query.query}</bdi>
        )}
      </Table.Td>
      <Table.Td ta="end" className="numbers">
        {formatCount(query.searches)}
      </Table.Td>
      <Table.Td>
        <Group gap={4}>
          {redirect && (
            <Badge variant="light" color="ink" tt="none">
              sends to {redirect}
            </Badge>
          )}
          {promotedCount > 0 && (
            <Badge variant="light" color="ink" tt="none">
              {formatCounted(promotedCount, 'banner')}
            </Badge>
          )}
        </Group>
        <Items word="comes in" ids={entering} lookUp={lookUp} />
        <Items word="goes" ids={leaving} lookUp={lookUp} />
        {entering.length + leaving.length === 0 && before.join() !== after.join() && (
          <Text size="xs" className="quiet">
            the same items in another order
          </Text>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

const mostNamed = 3;

function Items({ word, ids, lookUp }: { word: string; ids: readonly string[]; lookUp: ItemLookup }) {
  if (ids.length === 0) return null;
  return (
    <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
      <span className="quiet">{word}:</span>{' '}
      {ids.slice(0, mostNamed).map((itemId, place) => (
        <span key={itemId}>
          {place > 0 && ', '}
          <bdi>{lookUp({ itemId })?.title ?? itemId}</bdi>
        </span>
      ))}
      {ids.length > mostNamed && ` and ${formatCount(ids.length - mostNamed)} more`}
    </Text>
  );
}
