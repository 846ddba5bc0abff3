import { Alert, Badge, Box, Group, Stack, Text, Title } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { PreviewRecommendationsResponse } from '../../../gen/es/personalisation/v1/preview_service_pb.js';
import type {
  ListExplanation,
  ListOutcome,
} from '../../../gen/es/personalisation/v1/recommendation_service_pb.js';
import { formatCount } from '../kit/format.ts';
import { ListX } from '../kit/icons.ts';
import { type ItemName, itemKey } from '../kit/item-names.ts';
import { ItemSearch } from '../kit/item-search.tsx';
import { type ItemLookup, useItems } from '../kit/items.ts';
import { Empty, ErrorNotice, Hint, Loading } from '../kit/page.tsx';
import { t } from '../texts/texts.ts';
import { ExplanationDrawer } from './explanation-drawer.tsx';
import { ItemCard } from './item-card.tsx';
import classes from './list-section.module.css';
import { type Setup, usePreview } from './setup.ts';
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

type ListSectionProps = {
  setup: Setup;
  list: ListExplanation;
  outcome?: ListOutcome;
  /** Ranks in the compared list. */
  otherRanks?: Map<string, number>;
  lookUp: ItemLookup;
  onExplain(rank: number): void;
  onSimulate(name: ItemName): void;
};

const unmetReasons: Record<string, string> = {
  too_few_in_catalogue: t('too few in catalogue'),
  excluded_for_user: t('excluded for user'),
  in_conflict: t('in conflict'),
  list_too_short: t('list too short'),
};

/** One list as cards. */
function ListSection(props: ListSectionProps) {
  const { setup, list, outcome, otherRanks, lookUp, onExplain, onSimulate } = props;
  const most = Math.max(...list.items.map(({ score }) => score), Number.MIN_VALUE);
  return (
    <Box>
      <Group justify="space-between" mb="sm" gap="xs">
        <Group gap="xs">
          <Title order={2}>
            <bdi>{list.listName}</bdi>
          </Title>
          <Badge color="gray">
            {outcome?.configurationVersion === 0
              ? t('draft')
              : t('version {version}', { version: outcome?.configurationVersion })}
          </Badge>
        </Group>
        <Hint>{t('{count} candidates', { count: formatCount(list.scoredCount) })}</Hint>
      </Group>
      {outcome?.unmetMinimums.map(({ constraintIndex, wantedCount, foundCount, reason }) => (
        <Alert key={constraintIndex} color="orange" mb="sm" py="xs">
          {t('Rule {number} needs {wantedCount} items and found {foundCount}: {reason}.', {
            number: constraintIndex + 1,
            wantedCount,
            foundCount,
            reason: unmetReasons[reason] ?? reason,
          })}
        </Alert>
      ))}
      {list.items.length === 0 ? (
        <Empty icon={ListX} title={t('The list is empty')}>
          {t('No item matches the rules for this visitor.')}
        </Empty>
      ) : (
        <ol className={classes.cards}>
          {list.items.map((item) => (
            <ItemCard
              key={itemKey(item)}
              explanation={item}
              item={lookUp(item)}
              most={most}
              otherRank={otherRanks && (otherRanks.get(itemKey(item)) ?? 'absent')}
              onExplain={() => onExplain(item.rank)}
              onSimulate={() => onSimulate({ itemType: item.itemType, itemId: item.itemId })}
            />
          ))}
        </ol>
      )}
      <MissingItem setup={setup} configurationId={list.listName} />
    </Box>
  );
}

type Missing = { name: ItemName; title: string };

/** Search for an item that the list lacks; names the first reason. */
function MissingItem({ setup, configurationId }: { setup: Setup; configurationId: string }) {
  const [missing, setMissing] = useState<Missing>();
  return (
    <Box mt="md" maw={520}>
      <Text size="sm" fw={500} mb={4}>
        {t('Why is an item missing?')}
      </Text>
      <ItemSearch
        label={t('Why is an item missing?')}
        isLabelHidden
        placeholder={t('Search the item to see the reason')}
        onPick={(name, item) => setMissing({ name, title: item.title ?? name.itemId })}
      />
      {missing && <MissingReason setup={setup} configurationId={configurationId} missing={missing} />}
    </Box>
  );
}

type MissingReasonProps = { setup: Setup; configurationId: string; missing: Missing };

function MissingReason({ setup, configurationId, missing: { name, title } }: MissingReasonProps) {
  const { data, error, refetch } = usePreview(setup, [], [name]);
  const list = data?.explanations.find(({ listName }) => listName === configurationId);
  const absence = list?.whyNot.find(({ itemId }) => itemId === name.itemId);
  if (error) return <ErrorNotice error={error} onRetry={refetch} />;
  if (!absence) return null;
  const color = absence.reason === 'in_list' ? 'green' : 'orange';
  return (
    <Alert color={color} mt="xs" title={<bdi>{title}</bdi>} role="status">
      {absence.detail}
    </Alert>
  );
}
