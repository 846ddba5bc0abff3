import { Box, Paper, SimpleGrid, Stack, Text } from '@mantine/core';
import type {
  TriedHit,
  TriedQuery,
  TrySynonymResponse,
} from '../../../../gen/es/personalisation/v1/synonym_service_pb.js';
import { formatCount, formatCounted } from '../../kit/format.ts';
import { text } from './text.ts';

/** What a synonym would change of what people searched. */
export function Trial({ outcome }: { outcome: TrySynonymResponse }) {
  const { queryCount, changedCount, foundCount, queries } = outcome;
  return (
    <Stack mt="md" gap="sm" role="status">
      <Text fw={600}>
        {queryCount === 0
          ? text.nothingSearched
          : changedCount === 0
            ? text.changesNothing(formatCount(queryCount))
            : text.changes(formatCounted(changedCount, 'query', 'queries'), formatCount(queryCount))}
        {foundCount > 0 && ` ${text.finds(formatCounted(foundCount, 'query', 'queries'))}`}
      </Text>
      {queries.map((query) => (
        <Tried key={query.query} tried={query} />
      ))}
      {changedCount > queries.length && (
        <Text size="sm" className="quiet">
          {text.shown(formatCount(queries.length), formatCount(changedCount))}
        </Text>
      )}
    </Stack>
  );
}

function Tried({ tried: { query, searches, before, after } }: { tried: TriedQuery }) {
  const known = new Set(before.map(keyOf));
  return (
    <Paper p="sm" component="section" aria-label={query}>
      <Text size="sm" fw={600}>
        <bdi>{query}</bdi>
        <Text span size="xs" className="quiet" ms={8}>
          {formatCounted(searches, 'search', 'searches')}
        </Text>
      </Text>
      <SimpleGrid cols={{ base: 1, xs: 2 }} mt={4} spacing="md">
        <Hits title={text.now} hits={before} />
        <Hits title={text.changed} hits={after} isNew={(hit) => !known.has(keyOf(hit))} />
      </SimpleGrid>
    </Paper>
  );
}

const keyOf = ({ itemType, itemId }: TriedHit) => JSON.stringify([itemType, itemId]);

type HitsProps = { title: string; hits: TriedHit[]; isNew?(hit: TriedHit): boolean };

function Hits({ title, hits, isNew = () => false }: HitsProps) {
  return (
    <Box miw={0}>
      <Text size="xs" className="quiet">
        {title}
      </Text>
      {hits.length === 0 && <Text size="sm">{text.nothing}</Text>}
      {hits.map((hit) => (
        <Text key={keyOf(hit)} size="sm" truncate fw={isNew(hit) ? 600 : 400}>
          <bdi>{hit.title || hit.itemId}</bdi>
        </Text>
      ))}
    </Box>
  );
}
