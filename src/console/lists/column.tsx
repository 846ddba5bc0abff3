import { Box, Stack } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { PreviewRecommendationsResponse } from '../../../gen/es/personalisation/v1/preview_service_pb.js';
import type { ListExplanation } from '../../../gen/es/personalisation/v1/recommendation_service_pb.js';
import { itemKey } from '../kit/item-names.ts';
import { useItems } from '../kit/items.ts';
import { ErrorNotice, Loading } from '../kit/page.tsx';
import { ExplanationDrawer } from './explanation-drawer.tsx';
import { ListSection } from './list-section.tsx';
import type { usePreview } from './queries.ts';
import type { Setup } from './setup.ts';
import { SetupForm } from './setup-form.tsx';

type PreviewColumnProps = {
  setup: Setup;
  preview: ReturnType<typeof usePreview>;
  /** Compared preview; differences in rank are marked. */
  other?: PreviewRecommendationsResponse;
  onChange(changes: Partial<Setup>): void;
};

type ColumnProps = PreviewColumnProps & { label: string; configurationIds: string[] };

export type Chosen = { list: ListExplanation; rank: number };

/** One setup and its lists. */
export function Column({ label, configurationIds, ...props }: ColumnProps) {
  const { setup, onChange } = props;
  const historyIds = useMemo(() => setup.history.map(({ itemId }) => itemId), [setup.history]);
  const lookUp = useItems(historyIds);
  return (
    <Box component="section" aria-label={label || undefined} miw={0}>
      <SetupForm setup={setup} configurationIds={configurationIds} lookUp={lookUp} onChange={onChange} />
      <PreviewColumn {...props} />
    </Box>
  );
}

export function PreviewColumn({ setup, preview, other, onChange }: PreviewColumnProps) {
  const { data, error, isPlaceholderData, refetch } = preview;
  const [chosen, choose] = useState<Chosen>();
  const itemIds = useMemo(() => idsOf(data), [data]);
  const lookUp = useItems(itemIds);
  if (error) return <ErrorNotice error={error} onRetry={refetch} />;
  if (!data) return <Loading h={320} mt="lg" />;
  return (
    <>
      <Stack gap="xl" mt="lg" aria-busy={isPlaceholderData}>
        {data.explanations.map((list, index) => (
          <ListSection
            key={list.listName}
            setup={setup}
            list={list}
            outcome={data.outcomes[index]}
            otherRanks={other && ranksOf(other, list.listName, index)}
            lookUp={lookUp}
            onExplain={(rank) => choose({ list, rank })}
            onSimulate={(name) => onChange({ history: [...setup.history, name] })}
          />
        ))}
      </Stack>
      <ExplanationDrawer chosen={chosen} lookUp={lookUp} onClose={() => choose(undefined)} />
    </>
  );
}

function idsOf(data: PreviewRecommendationsResponse | undefined): string[] {
  const items = data?.explanations.flatMap((list) => list.items) ?? [];
  return items.flatMap(({ itemId, parts }) => [itemId, ...parts.flatMap((part) => part.reasonItemIds)]);
}

/** Ranks by item, of the list with the same name, else with the same index. */
function ranksOf({ explanations }: PreviewRecommendationsResponse, listName: string, index: number) {
  const list = explanations.find((one) => one.listName === listName) ?? explanations[index];
  return new Map(list?.items.map((item) => [itemKey(item), item.rank]));
}
