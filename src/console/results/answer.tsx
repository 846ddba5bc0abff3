import { Box, Stack } from '@mantine/core';
import { useMemo } from 'react';
import type { PreviewSearchResponse } from '../../../gen/es/personalisation/v1/preview_service_pb.js';
import { Search } from '../kit/icons.ts';
import { itemKey } from '../kit/item-names.ts';
import { useItems } from '../kit/items.ts';
import { Empty } from '../kit/page.tsx';
import { t } from '../texts/texts.ts';
import { ActiveRules } from './active-rules.tsx';
import { Interpretation } from './interpretation.tsx';
import { ResultRow } from './result-row.tsx';

/** Explained answer of a search: active rules, interpretation and results. */
export function Answer({ answer, isStale }: { answer: PreviewSearchResponse; isStale: boolean }) {
  const { results, explanation } = answer;
  const hits = useMemo(() => explanation?.lists.flatMap(({ items }) => items) ?? [], [explanation]);
  const ids = useMemo(() => hits.map(({ itemId }) => itemId), [hits]);
  const lookUp = useItems(ids);
  if (!results || !explanation) return null;
  const most = Math.max(...hits.map(({ score }) => score), Number.MIN_VALUE);
  const found = results.lists.flatMap(({ items }) => items);
  return (
    <Box aria-busy={isStale}>
      <Stack gap="md">
        <ActiveRules results={results} explanation={explanation} />
        <Interpretation explanation={explanation} />
      </Stack>
      {hits.length === 0 ? (
        <Empty icon={Search} title={t('No results')}>
          {t('No enabled item contains these words. “Queries” lists such searches.')}
        </Empty>
      ) : (
        <Stack gap="xs" component="ol" p={0} m={0} mt="md" style={{ listStyle: 'none' }}>
          {hits.map((hit, index) => (
            <ResultRow
              key={itemKey(hit)}
              hit={hit}
              item={lookUp(hit)}
              most={most}
              groupSize={found[index]?.groupSize}
            />
          ))}
        </Stack>
      )}
    </Box>
  );
}
