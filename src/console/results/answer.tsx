import { Box, Stack } from '@mantine/core';
import { Search } from 'lucide-react';
import { useMemo } from 'react';
import type { PreviewSearchResponse } from '../../../gen/es/personalisation/v1/preview_service_pb.js';
import { Empty } from '../kit/empty.tsx';
import { useItems } from '../kit/items.ts';
import { Beside } from './beside.tsx';
import { ResultRow } from './result-row.tsx';
import { text } from './text.ts';
import { Understanding } from './understanding.tsx';

type AnswerProps = { answer: PreviewSearchResponse; isStale: boolean };

/** What a search answers: what configurations say, how it was understood, and what was found. */
export function Answer({ answer, isStale }: AnswerProps) {
  const { results, explanation } = answer;
  const hits = explanation?.lists.flatMap(({ items }) => items) ?? [];
  const ids = useMemo(
    () => explanation?.lists.flatMap(({ items }) => items.map(({ itemId }) => itemId)) ?? [],
    [explanation],
  );
  const lookUp = useItems(ids);
  if (!results || !explanation) return null;
  const most = Math.max(...hits.map(({ score }) => score), Number.MIN_VALUE);
  const found = results.lists.flatMap(({ items }) => items);
  return (
    <Box aria-busy={isStale}>
      <Stack gap="md">
        <Beside results={results} explanation={explanation} />
        <Understanding explanation={explanation} />
      </Stack>
      {hits.length === 0 ? (
        <Empty icon={Search} title={text.nothing}>
          {text.nothingLead}
        </Empty>
      ) : (
        <Stack gap="xs" component="ol" p={0} m={0} mt="md" style={{ listStyle: 'none' }}>
          {hits.map((hit, place) => (
            <ResultRow
              key={`${hit.itemType}/${hit.itemId}`}
              hit={hit}
              item={lookUp(hit)}
              most={most}
              groupSize={found[place]?.groupSize}
            />
          ))}
        </Stack>
      )}
    </Box>
  );
}
