import { useQuery } from '@connectrpc/connect-query';
import { Paper, SimpleGrid, Text } from '@mantine/core';
import { CatalogueService } from '../../../gen/es/personalisation/v1/catalogue_service_pb.js';
import { startOfDay } from '../../ranking/runtime/time-zones.ts';
import { formatCount, momentOf } from '../kit/format.ts';
import type { ItemName } from '../kit/item-names.ts';
import { ErrorNotice, Heading, Hint, Loading } from '../kit/page.tsx';
import { Sparkline } from '../kit/sparkline.tsx';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';

const days = 28;

/** Counts of an item, each with the event types that it adds up. */
const measures: [label: string, eventTypes: RegExp][] = [
  [t('Impressions'), /impression$/],
  [t('Clicks on recommendations'), /click_on_recommendation$/],
  [t('Page views'), /^detail_pageview$/],
  [t('Purchases'), /^purchase$/],
];

/** Daily counts of an item over 28 days. */
export function Performance({ name }: { name: ItemName }) {
  const { environment } = useConsole();
  const { data, error, refetch } = useQuery(CatalogueService.method.getItemFigures, {
    environment: environment.name,
    ...name,
    days,
  });
  if (error) return <ErrorNotice error={error} onRetry={refetch} />;
  if (!data) return <Loading h={120} mb="lg" />;
  const starts = Array.from({ length: days }, (_, day) =>
    startOfDay(Date.now(), environment.timeZone, day - days + 1),
  );
  const dailyCounts = (types: RegExp) => {
    const values = new Array<number>(days).fill(0);
    for (const { startTime, eventType, count } of data.figures) {
      const day = starts.indexOf(Number(momentOf(startTime)));
      if (types.test(eventType) && day >= 0) values[day] += count;
    }
    return values;
  };
  return (
    <section aria-label={t('Performance')}>
      <Heading
        title={t('Performance')}
        lead={t(
          data.partial
            ? 'Last 28 days, without robots; counts the latest events only.'
            : 'Last 28 days, without robots.',
        )}
      />
      <SimpleGrid cols={{ base: 2, md: 4 }} mb="lg">
        {measures.map(([label, types]) => {
          const values = dailyCounts(types);
          return (
            <Paper key={label} p="md" miw={0}>
              <Hint size="sm">{label}</Hint>
              <Text fz={22} fw={600} className="numbers">
                {formatCount(values.reduce((sum, value) => sum + value, 0))}
              </Text>
              <Sparkline values={values} />
            </Paper>
          );
        })}
      </SimpleGrid>
    </section>
  );
}
