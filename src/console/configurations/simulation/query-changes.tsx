import { Badge, Group, Text } from '@mantine/core';
import { useMemo } from 'react';
import { Link } from 'wouter';
import type { SimulatedQuery } from '../../../../gen/es/personalisation/v1/configuration_service_pb.js';
import { formatCount, formatCounted } from '../../kit/format.ts';
import { type ItemLookup, useItems } from '../../kit/items.ts';
import { Hint, Section } from '../../kit/page.tsx';
import { DataTable } from '../../kit/table.tsx';
import { useConsole } from '../../service/console-context.ts';

/** Queries with other first results, a redirect or banners. */
export function QueryChanges({ queries }: { queries: readonly SimulatedQuery[] }) {
  const { can, pathTo } = useConsole();
  const ids = useMemo(
    () => queries.flatMap(({ beforeItemIds, afterItemIds }) => [...beforeItemIds, ...afterItemIds]),
    [queries],
  );
  const lookUp = useItems(ids);
  const linkTo = (query: string) => {
    if (!can('explanations')) return <bdi>{query}</bdi>;
    return (
      <Link className="row-link" href={`${pathTo('search')}?q=${encodeURIComponent(query)}`}>
        <bdi>{query}</bdi>
      </Link>
    );
  };
  return (
    <Section title="Queries that change">
      <DataTable
        verticalSpacing={5}
        horizontalSpacing={6}
        rows={queries}
        keyOf={({ query }) => query}
        columns={[
          { label: 'Query', cell: ({ query }) => linkTo(query) },
          { label: 'Searches', isNumber: true, cell: ({ searches }) => formatCount(searches) },
          { label: 'With the draft', cell: (query) => <Effect query={query} lookUp={lookUp} /> },
        ]}
      />
    </Section>
  );
}

function Effect({ query, lookUp }: { query: SimulatedQuery; lookUp: ItemLookup }) {
  const { beforeItemIds: before, afterItemIds: after, redirect, promotedCount } = query;
  const added = after.filter((id) => !before.includes(id));
  const removed = before.filter((id) => !after.includes(id));
  return (
    <>
      <Group gap={4}>
        {redirect && <Badge color="ink">redirects to {redirect}</Badge>}
        {promotedCount > 0 && <Badge color="ink">{formatCounted(promotedCount, 'banner')}</Badge>}
      </Group>
      <Items word="added" ids={added} lookUp={lookUp} />
      <Items word="removed" ids={removed} lookUp={lookUp} />
      {added.length + removed.length === 0 && before.join() !== after.join() && (
        <Hint>same items in another order</Hint>
      )}
    </>
  );
}

const mostNamed = 3;

function Items({ word, ids, lookUp }: { word: string; ids: readonly string[]; lookUp: ItemLookup }) {
  if (ids.length === 0) return null;
  return (
    <Text size="sm">
      <span className="quiet">{word}:</span>{' '}
      {ids.slice(0, mostNamed).map((itemId, index) => (
        <span key={itemId}>
          {index > 0 && ', '}
          <bdi>{lookUp({ itemId })?.title ?? itemId}</bdi>
        </span>
      ))}
      {ids.length > mostNamed && ` and ${formatCount(ids.length - mostNamed)} more`}
    </Text>
  );
}
