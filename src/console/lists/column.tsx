import { Box, Skeleton, Stack } from '@mantine/core';
import { useMemo, useState } from 'react';
import { ErrorNotice } from '../kit/error-notice.tsx';
import { itemKey } from '../kit/item-key.ts';
import { useItems } from '../kit/items.ts';
import { ListSection } from './list-section.tsx';
import type { usePreview } from './queries.ts';
import type { Setup } from './setup.ts';
import { SetupForm } from './setup-form.tsx';
import type { ListExplanation, PreviewRecommendationsResponse } from './types.ts';
import { WhyDrawer } from './why-drawer.tsx';

type PreviewColumnProps = {
  setup: Setup;
  preview: ReturnType<typeof usePreview>;
  /** What stands beside it, to mark what moved. */
  other?: PreviewRecommendationsResponse;
  onChange(changes: Partial<Setup>): void;
};

type ColumnProps = PreviewColumnProps & { label: string; configurationIds: string[] };

export type Chosen = { list: ListExplanation; rank: number };

/** One setup and its lists. */
export function Column({ label, configurationIds, ...props }: ColumnProps) {
  const historyIds = useMemo(() => props.setup.history.map(({ itemId }) => itemId), [props.setup.history]);
  const lookUp = useItems(historyIds);
  return (
    <Box component="section" aria-label={label || undefined} miw={0}>
      <SetupForm
        setup={props.setup}
        configurationIds={configurationIds}
        lookUp={lookUp}
        onChange={props.onChange}
      />
      <PreviewColumn {...props} />
    </Box>
  );
}

/** The lists of a setup. */
export function PreviewColumn({ setup, preview, other, onChange }: PreviewColumnProps) {
  const { data, error, isPlaceholderData, refetch } = preview;
  const [chosen, choose] = useState<Chosen>();
  const itemIds = useMemo(() => idsOf(data), [data]);
  const lookUp = useItems(itemIds);
  if (error) return <ErrorNotice error={error} onRetry={refetch} />;
  if (!data) return <Skeleton h={320} mt="lg" role="status" aria-label="Loading" />;
  return (
    <>
      <Stack gap="xl" mt="lg" aria-busy={isPlaceholderData}>
        {data.explanations.map((list, place) => (
          <ListSection
            key={list.listName}
            setup={setup}
            list={list}
            outcome={data.outcomes[place]}
            otherRanks={other && ranksOf(other, list.listName, place)}
            lookUp={lookUp}
            onWhy={(rank) => choose({ list, rank })}
            onPretend={(name) => onChange({ history: [...setup.history, name] })}
          />
        ))}
      </Stack>
      <WhyDrawer chosen={chosen} lookUp={lookUp} onClose={() => choose(undefined)} />
    </>
  );
}

function idsOf(data: PreviewRecommendationsResponse | undefined): string[] {
  const items = data?.explanations.flatMap((list) => list.items) ?? [];
  return items.flatMap(({ itemId, parts }) => [itemId, ...parts.flatMap((part) => part.reasonItemIds)]);
}

/** Ranks by item: of the list of the same name, else of the one in the same place. */
function ranksOf(
  { explanations }: PreviewRecommendationsResponse,
  listName: string,
  place: number,
): Map<string, number> {
  const list = explanations.find((one) => one.listName === listName) ?? explanations[place];
  return new Map(list?.items.map((item) => [itemKey(item), item.rank]));
}
