import { useQuery } from '@connectrpc/connect-query';
import { Stack } from '@mantine/core';
import { useMemo } from 'react';
import { PreviewService } from '../../../gen/es/personalisation/v1/preview_service_pb.js';
import { modelName } from '../kit/colors.ts';
import { ItemLine } from '../kit/item-line.tsx';
import { type ItemName, itemKey } from '../kit/item-names.ts';
import { useItems } from '../kit/items.ts';
import { ErrorNotice, Loading, Section } from '../kit/page.tsx';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';

const shownCount = 8;
/** Draft without rules, so that the models alone decide. */
const noRules = '(no rules)';

/** Models that ignore the context item, so their scores explain no relation. */
const unrelated: ReadonlySet<string> = new Set([
  'freshness',
  'popularity',
  'trending',
  'new_items',
  'click_through',
]);

/** Strongest model that relates two items; the strongest of all if no such model scored. */
function strongestOf<Part extends { model: string; score: number }>(
  parts: readonly Part[],
): Part | undefined {
  const scored = parts.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score);
  return scored.find(({ model }) => !unrelated.has(model)) ?? scored[0];
}

/** Items that a new visitor sees beside an item, with the strongest reason. */
export function RelatedItems({ name }: { name: ItemName }) {
  const { environment } = useConsole();
  const { data, error, refetch } = useQuery(PreviewService.method.previewRecommendations, {
    environment: environment.name,
    request: {
      deviceId: 'anonymous',
      pageType: 'detail',
      contextItem: name.itemId,
      contextItemType: name.itemType,
      lists: [{ configurationId: noRules, listName: noRules, listSize: shownCount }],
    },
    drafts: [{ configurationId: noRules }],
  });
  const items = data?.explanations[0]?.items;
  const ids = useMemo(() => items?.map(({ itemId }) => itemId) ?? [], [items]);
  const lookUp = useItems(ids);
  if (error) return <ErrorNotice error={error} onRetry={refetch} />;
  return (
    <Section title={t('Related items')} lead={t('What a new visitor sees beside this item, without rules.')}>
      {!items && <Loading h={300} />}
      <Stack gap="xs">
        {items?.map((one) => {
          const strongest = strongestOf(one.parts);
          return (
            <ItemLine key={itemKey(one)} item={lookUp(one)} name={one} isLink>
              {one.itemType}
              {strongest && ` · ${modelName(strongest.model)}`}
            </ItemLine>
          );
        })}
      </Stack>
    </Section>
  );
}
