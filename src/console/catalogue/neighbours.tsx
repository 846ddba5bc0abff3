import { useQuery } from '@connectrpc/connect-query';
import { Group, Paper, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useMemo } from 'react';
import { Link } from 'wouter';
import { PreviewService } from '../../../gen/es/personalisation/v1/preview_service_pb.js';
import { ErrorNotice } from '../kit/error-notice.tsx';
import { type ItemName, itemKey } from '../kit/item-key.ts';
import { ItemPicture } from '../kit/item-picture.tsx';
import { useItems } from '../kit/items.ts';
import { modelName } from '../kit/models.ts';
import { useConsole } from '../service/console-context.ts';

const shownCount = 8;
/** Without rules, so that nothing but the models decides. */
const noRules = '(no rules)';

/** They would bring an item to any list; they say nothing of what it has to do with another one. */
const unrelated: ReadonlySet<string> = new Set([
  'freshness',
  'popularity',
  'trending',
  'new_items',
  'click_through',
]);

/** What ties an item to the other one most: models that look at both, if any of them gave something. */
function tieOf<Part extends { model: string; score: number }>(parts: readonly Part[]): Part | undefined {
  const given = parts.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score);
  return given.find(({ model }) => !unrelated.has(model)) ?? given[0];
}

/** What stands beside the item for a stranger who looks at it, and why. */
export function Neighbours({ name }: { name: ItemName }) {
  const { environment, pathTo } = useConsole();
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
    <Paper p="md" component="section" aria-label="Neighbours" miw={0}>
      <Title order={2}>Neighbours</Title>
      <Text size="xs" className="quiet" mb="sm">
        What a stranger who looks at it would see beside it, without any rules.
      </Text>
      {!items && <Skeleton h={300} />}
      <Stack gap="xs">
        {items?.map((one) => {
          const item = lookUp(one);
          const strongest = tieOf(one.parts);
          return (
            <Group key={itemKey(one)} gap="sm" wrap="nowrap">
              <ItemPicture item={item} name={one.itemId} size="small" />
              <div style={{ minWidth: 0 }}>
                <Link
                  className="row-link"
                  href={pathTo(
                    `catalogue/${encodeURIComponent(one.itemType)}/${encodeURIComponent(one.itemId)}`,
                  )}
                >
                  <bdi>{item?.title ?? one.itemId}</bdi>
                </Link>
                <Text size="xs" className="quiet">
                  {one.itemType}
                  {strongest && ` · ${modelName(strongest.model)}`}
                </Text>
              </div>
            </Group>
          );
        })}
      </Stack>
    </Paper>
  );
}
