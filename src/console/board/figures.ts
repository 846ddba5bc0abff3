/** Figures of items on their cards. */

import { useMemo } from 'react';
import { formatCount, formatShare } from '../kit/format.ts';
import { type ItemName, itemKey } from '../kit/item-names.ts';
import { readPeriod, usePerformance } from '../kit/performance.tsx';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';

const mostItems = 1_000;

/** Returns the words for an item; undefined without traffic. */
export type FigureLookup = (name: ItemName) => string | undefined;

/** Impressions and CTR of the last 28 days, of the items with most traffic. */
export function useFigures(): FigureLookup {
  const { environment, can } = useConsole();
  const { firstDay, lastDay } = readPeriod({}, environment.timeZone);
  const isEnabled = can('metrics');
  const { data } = usePerformance(
    { dimension: 'item', firstDay, lastDay, compare: false, limit: mostItems },
    isEnabled,
  );
  return useMemo(() => {
    const place = (metric: string) => data?.metrics.findIndex((one) => one.name === metric) ?? -1;
    const [impressions, rate] = [place('impressions'), place('click_through_rate')];
    const words = new Map(
      data?.rows.map(({ itemType, value, figures }) => {
        const shown = figures[impressions]?.value;
        const clicked = figures[rate]?.value;
        const parts = [
          ...(shown ? [t('{impressions} shown', { impressions: formatCount(shown) })] : []),
          ...(clicked === undefined ? [] : [t('CTR {rate}', { rate: formatShare(clicked) })]),
        ];
        return [itemKey({ itemType, itemId: value }), parts.join(' · ')];
      }),
    );
    return (name) => words.get(itemKey(name));
  }, [data]);
}
