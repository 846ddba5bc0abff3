import { Box, Drawer, Group, Stack, Text, Title } from '@mantine/core';
import { formatNumber } from '../kit/format.ts';
import { ItemPicture } from '../kit/item-picture.tsx';
import type { ItemLookup } from '../kit/items.ts';
import { modelColor, modelName } from '../kit/models.ts';
import type { Chosen } from './column.tsx';
import { RuleList } from './rule-list.tsx';
import { text } from './text.ts';

/** Below it a score is written as 0. */
const leastTold = 0.005;

type WhyDrawerProps = { chosen?: Chosen; lookUp: ItemLookup; onClose(): void };

/** Everything that brought an item to its place. */
export function WhyDrawer({ chosen, lookUp, onClose }: WhyDrawerProps) {
  return (
    <Drawer
      opened={chosen !== undefined}
      onClose={onClose}
      position="right"
      size="md"
      title={<Text fw={600}>Why it stands there</Text>}
      closeButtonProps={{ 'aria-label': 'Close' }}
      transitionProps={{ duration: 120 }}
    >
      {chosen && <Why chosen={chosen} lookUp={lookUp} />}
    </Drawer>
  );
}

function Why({ chosen, lookUp }: { chosen: Chosen; lookUp: ItemLookup }) {
  const explanation = chosen.list.items.find(({ rank }) => rank === chosen.rank);
  if (!explanation) return null;
  const { itemId, rank, source, step, score, parts } = explanation;
  const item = lookUp(explanation);
  const told = parts.filter((part) => Math.abs(part.score) >= leastTold);
  const most = Math.max(...parts.map((part) => Math.abs(part.score)), Number.MIN_VALUE);
  return (
    <Stack gap="lg">
      <Group wrap="nowrap" align="center">
        <ItemPicture item={item} name={itemId} size="small" />
        <div style={{ minWidth: 0 }}>
          <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
            <bdi>{item?.title ?? itemId}</bdi>
          </Text>
          <Text size="xs" className="quiet">
            Rank {rank} · {text.fallbacks[step] ?? text.sources[source] ?? source}
          </Text>
        </div>
      </Group>
      {parts.length > 0 && (
        <section aria-label="Score">
          <Group justify="space-between" mb="xs">
            <Title order={3}>Score</Title>
            <Text size="sm" className="numbers" fw={600}>
              {formatNumber(score)}
            </Text>
          </Group>
          <Stack gap="sm">
            {told
              .sort((a, b) => b.score - a.score)
              .map((part) => (
                <Box key={part.model}>
                  <Group justify="space-between" gap="xs">
                    <Text size="sm">{modelName(part.model)}</Text>
                    <Text size="sm" className="numbers">
                      {formatNumber(part.score)}
                    </Text>
                  </Group>
                  <Box
                    h={6}
                    mt={3}
                    style={{
                      borderRadius: 3,
                      width: `${(100 * Math.abs(part.score)) / most}%`,
                      background: modelColor(part.model),
                    }}
                  />
                  {part.reasonItemIds.length > 0 && (
                    <Text size="xs" className="quiet" mt={3}>
                      because of{' '}
                      {part.reasonItemIds.map((id, i) => (
                        <span key={id}>
                          {i > 0 && ', '}
                          <bdi>{lookUp({ itemId: id })?.title ?? id}</bdi>
                        </span>
                      ))}
                    </Text>
                  )}
                </Box>
              ))}
            {told.length < parts.length && (
              <Text size="xs" className="quiet">
                {text.nothingFrom(
                  parts.filter((part) => !told.includes(part)).map(({ model }) => modelName(model)),
                )}
              </Text>
            )}
          </Stack>
        </section>
      )}
      <RuleList list={chosen.list} explanation={explanation} />
    </Stack>
  );
}
