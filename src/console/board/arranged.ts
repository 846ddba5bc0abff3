/** The items of a board in their order, with what the rules did to each. */

import { useMemo } from 'react';
import type { Configuration } from '../../../gen/es/personalisation/v1/configuration_pb.js';
import type { ItemExplanation } from '../../../gen/es/personalisation/v1/recommendation_service_pb.js';
import type { FoundItemExplanation } from '../../../gen/es/personalisation/v1/search_service_pb.js';
import { type Document, readRule } from '../grammar/document.ts';
import { arrangementOf } from '../grammar/search-rules.ts';
import { ruleWords, weightWords } from '../grammar/words.ts';
import type { ItemName } from '../kit/item-names.ts';
import { usePreview } from '../lists/setup.ts';
import { useSearchPreview } from '../results/preview.ts';
import { t } from '../texts/texts.ts';
import type { View } from './view.ts';

export type ArrangedItem = ItemName & {
  rank: number;
  isPinned: boolean;
  /** What the rules did, in words; a pin comes first. */
  effects: string[];
};

export type Arranged = {
  items: readonly ArrangedItem[];
  /** Minimums that are not met, in words. */
  unmet: readonly string[];
  /** Returns why a list does not show an item that its rule set pins. */
  reasonOf(itemId: string): string | undefined;
  isLoaded: boolean;
  isStale: boolean;
  error: Error | null;
  refetch(): void;
};

/** Most items whose absence one preview explains. */
const mostReasons = 20;
const nothing: readonly ArrangedItem[] = [];

export function useArranged(view: View, document: Document, drafts: Configuration[]): Arranged {
  const { place, q, category, setup } = view;
  const isList = place === 'list';
  const { pins = [] } = arrangementOf(document);
  const whyNot = pins
    .slice(0, mostReasons)
    .map(({ item_id, item_type = '' }) => ({ itemId: item_id, itemType: item_type }));
  const list = usePreview(isList ? setup : { ...setup, configurations: [] }, drafts, whyNot);
  const visitor = {
    deviceId: setup.kind === 'device' ? setup.visitor : undefined,
    userId: setup.kind === 'user' ? setup.visitor : undefined,
  };
  const found = useSearchPreview(
    { q: place === 'query' ? q : '', visitor, page: place === 'category' ? { category } : {}, drafts },
    !isList,
  );
  const [explained] = list.data?.explanations ?? [];
  const items = useMemo(() => {
    if (isList) return explained?.items.map((item) => ofList(item, document)) ?? nothing;
    return found.data?.explanation?.lists.flatMap((one) => one.items).map(ofSearch) ?? nothing;
  }, [isList, explained, found.data, document]);
  const { data, error, isPlaceholderData, refetch } = isList ? list : found;
  const rules = (document.constraints ?? []).map(readRule);
  const unmet = isList ? (list.data?.outcomes[0]?.unmetMinimums ?? []) : [];
  return {
    ...{ items, error, isLoaded: data !== undefined, isStale: isPlaceholderData },
    unmet: unmet.map(({ constraintIndex, wantedCount, foundCount }) => {
      const rule = rules[constraintIndex];
      return t('{rule}: {foundCount} of {wantedCount} found.', {
        rule: rule ? ruleWords(rule) : t('Rule {constraintIndex}', { constraintIndex: constraintIndex + 1 }),
        ...{ foundCount, wantedCount },
      });
    }),
    reasonOf: (itemId) => explained?.whyNot.find((one) => one.itemId === itemId)?.detail,
    refetch: () => void refetch(),
  };
}

function ofList(item: ItemExplanation, document: Document): ArrangedItem {
  const { rank, itemId, itemType, source, preferences, constraintIndexes } = item;
  const weight = preferences.reduce((sum, one) => sum + one.weight, 0);
  const rules = (document.constraints ?? []).map(readRule);
  const minimums = constraintIndexes.flatMap((index) => {
    const rule = rules[index];
    return rule?.kind === 'constraint' && rule.min ? [t('Fills: {rule}', { rule: ruleWords(rule) })] : [];
  });
  return {
    ...{ rank, itemId, itemType },
    isPinned: source === 'pinned',
    effects: [
      ...(source === 'pinned' ? [t('Pinned')] : []),
      ...(source === 'injected' ? [t('Placed by the request')] : []),
      ...(weight === 0 ? [] : [weightWords(weight)]),
      ...minimums,
    ],
  };
}

const ofSearch = ({
  rank,
  itemId,
  itemType,
  pinnedBy,
  preferenceWeight,
}: FoundItemExplanation): ArrangedItem => ({
  ...{ rank, itemId, itemType },
  isPinned: pinnedBy !== '',
  effects: [
    ...(pinnedBy ? [t('Pinned by {pinnedBy}', { pinnedBy })] : []),
    ...(preferenceWeight === 0 ? [] : [weightWords(preferenceWeight)]),
  ],
});
