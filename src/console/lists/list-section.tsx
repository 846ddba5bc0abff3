import { Alert, Badge, Box, Group, Text, Title } from '@mantine/core';
import { ListX } from 'lucide-react';
import { Empty } from '../kit/empty.tsx';
import { formatCount } from '../kit/format.ts';
import { type ItemName, itemKey } from '../kit/item-key.ts';
import type { ItemLookup } from '../kit/items.ts';
import { ListCard } from './list-card.tsx';
import classes from './list-section.module.css';
import type { Setup } from './setup.ts';
import { text } from './text.ts';
import type { ListExplanation, ListOutcome } from './types.ts';
import { WhyNot } from './why-not.tsx';

type ListSectionProps = {
  setup: Setup;
  list: ListExplanation;
  outcome?: ListOutcome;
  /** Ranks of the list beside it; absent when there is none. */
  otherRanks?: Map<string, number>;
  lookUp: ItemLookup;
  onWhy(rank: number): void;
  onPretend(name: ItemName): void;
};

/** One list as cards. */
export function ListSection(props: ListSectionProps) {
  const { setup, list, outcome, otherRanks, lookUp, onWhy, onPretend } = props;
  const most = Math.max(...list.items.map(({ score }) => score), Number.MIN_VALUE);
  const usual = averageParts(list);
  return (
    <Box>
      <Group justify="space-between" mb="sm" gap="xs">
        <Group gap="xs">
          <Title order={2}>
            <bdi>{list.listName}</bdi>
          </Title>
          <Badge variant="light" color="gray" tt="none">
            {outcome?.configurationVersion === 0 ? 'draft' : `version ${outcome?.configurationVersion}`}
          </Badge>
        </Group>
        <Text size="xs" className="quiet">
          {formatCount(list.scoredCount)} scored, {formatCount(list.weighedCount)} weighed
        </Text>
      </Group>
      {outcome?.unmetMinimums.map(({ constraintIndex, wantedCount, foundCount, reason }) => (
        <Alert key={constraintIndex} color="orange" variant="light" mb="sm" py="xs">
          Rule {constraintIndex + 1} wants {wantedCount} and got {foundCount}: {reason.replaceAll('_', ' ')}.
        </Alert>
      ))}
      {list.items.length === 0 ? (
        <Empty icon={ListX} title={text.noItems}>
          {text.noItemsLead}
        </Empty>
      ) : (
        <ol className={classes.cards}>
          {list.items.map((item) => (
            <ListCard
              key={itemKey(item)}
              explanation={item}
              item={lookUp(item)}
              most={most}
              usual={usual}
              otherRank={otherRanks && (otherRanks.get(itemKey(item)) ?? 'absent')}
              onWhy={() => onWhy(item.rank)}
              onPretend={() => onPretend({ itemType: item.itemType, itemId: item.itemId })}
            />
          ))}
        </ol>
      )}
      <WhyNot setup={setup} configurationId={list.listName} />
    </Box>
  );
}

function averageParts({ items }: ListExplanation): Map<string, number> {
  const averages = new Map<string, number>();
  for (const { model, score } of items.flatMap(({ parts }) => parts))
    averages.set(model, (averages.get(model) ?? 0) + score / items.length);
  return averages;
}
