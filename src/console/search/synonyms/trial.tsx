import { Box, Paper, SimpleGrid, Stack, Text } from '@mantine/core';
import type {
  TriedHit,
  TriedQuery,
  TrySynonymResponse,
} from '../../../../gen/es/personalisation/v1/synonym_service_pb.js';
import { formatCount, formatCounted } from '../../kit/format.ts';
import { itemKey } from '../../kit/item-names.ts';
import { Hint } from '../../kit/page.tsx';
import { t } from '../../texts/texts.ts';

/** Effect of a synonym on the first results of recent queries. */
export function Trial({ outcome }: { outcome: TrySynonymResponse }) {
  const { changedCount, queries } = outcome;
  return (
    <Stack mt="md" gap="sm" role="status">
      <Text fw={600}>{summaryWords(outcome)}</Text>
      {queries.map((query) => (
        <Comparison key={query.query} query={query} />
      ))}
      {changedCount > queries.length && (
        <Hint size="sm">
          {t('Shows {count} of {all}.', {
            count: formatCount(queries.length),
            all: formatCount(changedCount),
          })}
        </Hint>
      )}
    </Stack>
  );
}

function summaryWords({ queryCount, changedCount, foundCount }: TrySynonymResponse): string {
  if (queryCount === 0)
    return t('There are no recorded queries to try the synonym on. You can still save it.');
  const all = formatCount(queryCount);
  const changed =
    changedCount === 0
      ? t('None of {all} recorded queries would show other first results.', { all })
      : t('{count} of {all} recorded queries would show other first results.', {
          count: formatCount(changedCount),
          all,
        });
  if (foundCount === 0) return changed;
  const found = formatCounted(foundCount, 'query', 'queries');
  return `${changed} ${t('{queries} without results would find items.', { queries: found })}`;
}

function Comparison({ query: { query, searches, before, after } }: { query: TriedQuery }) {
  const known = new Set(before.map(itemKey));
  return (
    <Paper p="sm" component="section" aria-label={query}>
      <Text size="sm" fw={600}>
        <bdi>{query}</bdi>
        <Text span size="xs" className="quiet" ms={8}>
          {formatCounted(searches, 'search', 'searches')}
        </Text>
      </Text>
      <SimpleGrid cols={{ base: 1, xs: 2 }} mt={4} spacing="md">
        <Hits title={t('Now')} hits={before} known={known} />
        <Hits title={t('With the synonym')} hits={after} known={known} />
      </SimpleGrid>
    </Paper>
  );
}

function Hits({ title, hits, known }: { title: string; hits: TriedHit[]; known: ReadonlySet<string> }) {
  return (
    <Box miw={0}>
      <Hint>{title}</Hint>
      {hits.length === 0 && <Text size="sm">{t('No results')}</Text>}
      {hits.map((hit) => (
        <Text key={itemKey(hit)} size="sm" truncate fw={known.has(itemKey(hit)) ? 400 : 600}>
          <bdi>{hit.title || hit.itemId}</bdi>
        </Text>
      ))}
    </Box>
  );
}
