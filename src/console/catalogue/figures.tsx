import { useQuery } from '@connectrpc/connect-query';
import { Paper, SimpleGrid, Skeleton, Text, Title } from '@mantine/core';
import { CatalogueService } from '../../../gen/es/personalisation/v1/catalogue_service_pb.js';
import { ErrorNotice } from '../kit/error-notice.tsx';
import { formatCount } from '../kit/format.ts';
import type { ItemName } from '../kit/item-key.ts';
import { Sparkline } from '../kit/sparkline.tsx';
import { momentOf } from '../kit/timestamp.ts';
import { useConsole } from '../service/console-context.ts';
import { text } from './text.ts';

const days = 28;
const dayMs = 86_400_000;

/** What people did with an item, each with the event types that tell it. */
const measures: [label: string, eventTypes: RegExp][] = [
  [text.figures.shown, /impression$/],
  [text.figures.clicked, /click_on_recommendation$/],
  [text.figures.viewed, /^detail_pageview$/],
  [text.figures.bought, /^purchase$/],
];

/** Shown, clicked, looked at and bought, day by day. */
export function Figures({ name }: { name: ItemName }) {
  const { environment } = useConsole();
  const { data, error, refetch } = useQuery(CatalogueService.method.getItemFigures, {
    environment: environment.name,
    ...name,
    days,
  });
  if (error) return <ErrorNotice error={error} onRetry={refetch} />;
  if (!data) return <Skeleton h={120} mb="lg" role="status" aria-label="Loading" />;
  const first = Math.floor(Date.now() / dayMs) - days + 1;
  const seriesOf = (types: RegExp) => {
    const values = new Array<number>(days).fill(0);
    for (const { startTime, eventType, count } of data.figures) {
      const place = Math.floor(Number(momentOf(startTime)) / dayMs) - first;
      if (types.test(eventType) && place >= 0 && place < days) values[place] += count;
    }
    return values;
  };
  return (
    <section aria-label={text.figures.title}>
      <Title order={2}>{text.figures.title}</Title>
      <Text size="xs" className="quiet" mb="sm">
        {data.partial ? text.figures.partial : text.figures.lead}
      </Text>
      <SimpleGrid cols={{ base: 2, md: 4 }} mb="lg">
        {measures.map(([label, types]) => {
          const values = seriesOf(types);
          return (
            <Paper key={label} p="md" miw={0}>
              <Text size="sm" className="quiet">
                {label}
              </Text>
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
