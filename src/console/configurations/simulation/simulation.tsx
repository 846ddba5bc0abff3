import { Alert, Badge, Box, Button, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { ConfigurationSchema } from '../../../../gen/es/personalisation/v1/configuration_pb.js';
import type {
  SimulatedQuery,
  SimulatedSide,
  ValueShare,
} from '../../../../gen/es/personalisation/v1/configuration_service_pb.js';
import {
  ConfigurationService,
  type ItemChange,
  type SimulateConfigurationResponse,
} from '../../../../gen/es/personalisation/v1/configuration_service_pb.js';
import { decodeJson } from '../../../formats/codec.ts';
import { keyWords } from '../../grammar/words.ts';
import { CountField } from '../../kit/fields.tsx';
import { formatCount, formatCounted, formatShare } from '../../kit/format.ts';
import { FlaskConical } from '../../kit/icons.ts';
import { itemKey } from '../../kit/item-names.ts';
import { type ItemLookup, useItems } from '../../kit/items.ts';
import { Empty, ErrorNotice, Hint, RowLink, Section } from '../../kit/page.tsx';
import { useCall } from '../../kit/queries.ts';
import { DataTable, FigureTiles } from '../../kit/table.tsx';
import { useConsole } from '../../service/console-context.ts';
import { rich } from '../../texts/rich-text.ts';
import { t } from '../../texts/texts.ts';
import type { Draft } from '../editor/use-draft.ts';

const usualRequests = 200;

type SimulationProps = { configurationId: string; draft: Draft };

/** Compares the draft with the live version on recorded requests. */
export default function Simulation({ configurationId, draft }: SimulationProps) {
  const { environment } = useConsole();
  const [requestCount, setRequestCount] = useState(usualRequests);
  const simulate = useCall(ConfigurationService.method.simulateConfiguration);
  const run = () => {
    const document = { ...draft.document, configuration_id: configurationId };
    const { message } = decodeJson(ConfigurationSchema, document);
    simulate.mutate({ draft: message, requestCount });
  };
  return (
    <Stack gap="lg" maw={1240}>
      <Group align="flex-end">
        <CountField
          label={t('Latest requests')}
          min={1}
          max={1000}
          value={requestCount}
          onChange={setRequestCount}
          w={140}
        />
        <Button
          variant="filled"
          leftSection={<FlaskConical size={15} />}
          loading={simulate.isPending}
          disabled={!draft.document}
          onClick={run}
        >
          {t('Simulate')}
        </Button>
        <Hint flex="1 1 260px">
          {t(
            'Answers the latest real requests of {name} with the live version and with the draft. Publishes nothing; the report contains no personal IDs.',
            { name: environment.name },
          )}
        </Hint>
      </Group>
      {simulate.error && <ErrorNotice error={simulate.error} onRetry={run} />}
      {simulate.data ? (
        <Report report={simulate.data} />
      ) : (
        <Empty icon={FlaskConical} title={t('No simulation yet')}>
          {t('Simulate to see the effect of the draft before you publish it.')}
        </Empty>
      )}
    </Stack>
  );
}

function Report({ report }: { report: SimulateConfigurationResponse }) {
  const { requestCount, listCount, changedListCount, before, after } = report;
  if (requestCount === 0) {
    return (
      <Empty icon={FlaskConical} title={t('No recorded requests yet')}>
        {t('The service records a sample of real requests. Send some requests or searches, then try again.')}
      </Empty>
    );
  }
  return (
    <Stack gap="lg">
      <FigureTiles
        tiles={[
          [formatCount(requestCount), t('Requests simulated')],
          [
            t('{changed} of {all}', { changed: formatCount(changedListCount), all: formatCount(listCount) }),
            t('Lists that change'),
          ],
          [before ? formatShare(before.fillRate) : '–', t('Fill rate before')],
          [after ? formatShare(after.fillRate) : '–', t('Fill rate with the draft')],
        ]}
      />
      {report.queries.length > 0 && <QueryChanges queries={report.queries} />}
      {after?.unmetQuotas.map(({ constraintIndex, listCount: lists, missingCount }) => (
        <Alert key={constraintIndex} color="orange">
          {t('Rule {rule} is not met in {listCount} lists, which lack {itemCount} items in total.', {
            rule: constraintIndex + 1,
            listCount: formatCount(lists),
            itemCount: formatCount(missingCount),
          })}
        </Alert>
      ))}
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <ItemChanges title={t('Added items')} changes={report.itemsIn} />
        <ItemChanges title={t('Removed items')} changes={report.itemsOut} />
      </SimpleGrid>
      {after && (
        <Section title={t('Composition of the lists')}>
          <ShareBars before={before} after={after} />
        </Section>
      )}
    </Stack>
  );
}

const mostShown = 12;

function ItemChanges({ title, changes }: { title: string; changes: ItemChange[] }) {
  return (
    <Section title={title}>
      {changes.length === 0 ? (
        <Hint size="sm">{t('None')}</Hint>
      ) : (
        <DataTable
          verticalSpacing={5}
          horizontalSpacing={6}
          rows={changes.slice(0, mostShown)}
          keyOf={(change) => itemKey(change)}
          columns={[
            { label: t('Item'), cell: (change) => <bdi>{change.title || change.itemId}</bdi> },
            { label: t('Lists before'), isNumber: true, cell: ({ beforeCount }) => formatCount(beforeCount) },
            { label: t('With the draft'), isNumber: true, cell: ({ afterCount }) => formatCount(afterCount) },
          ]}
        />
      )}
    </Section>
  );
}

/** Queries with other first results, a redirect or banners. */
function QueryChanges({ queries }: { queries: readonly SimulatedQuery[] }) {
  const ids = useMemo(
    () => queries.flatMap(({ beforeItemIds, afterItemIds }) => [...beforeItemIds, ...afterItemIds]),
    [queries],
  );
  const lookUp = useItems(ids);
  const linkTo = (query: string) => (
    <RowLink to={`search?q=${encodeURIComponent(query)}`} area="explanations">
      {query}
    </RowLink>
  );
  return (
    <Section title={t('Queries that change')}>
      <DataTable
        verticalSpacing={5}
        horizontalSpacing={6}
        rows={queries}
        keyOf={({ query }) => query}
        columns={[
          { label: t('Query'), cell: ({ query }) => linkTo(query) },
          { label: t('Searches'), isNumber: true, cell: ({ searches }) => formatCount(searches) },
          { label: t('With the draft'), cell: (query) => <Effect query={query} lookUp={lookUp} /> },
        ]}
      />
    </Section>
  );
}

function Effect({ query, lookUp }: { query: SimulatedQuery; lookUp: ItemLookup }) {
  const { beforeItemIds: before, afterItemIds: after, redirect, promotedCount } = query;
  const added = after.filter((id) => !before.includes(id));
  const removed = before.filter((id) => !after.includes(id));
  return (
    <>
      <Group gap={4}>
        {redirect && <Badge color="ink">{t('redirects to {redirect}', { redirect })}</Badge>}
        {promotedCount > 0 && <Badge color="ink">{formatCounted(promotedCount, 'banner')}</Badge>}
      </Group>
      <Items word={t('added:')} ids={added} lookUp={lookUp} />
      <Items word={t('removed:')} ids={removed} lookUp={lookUp} />
      {added.length + removed.length === 0 && before.join() !== after.join() && (
        <Hint>{t('same items in another order')}</Hint>
      )}
    </>
  );
}

const mostNamed = 3;

function Items({ word, ids, lookUp }: { word: string; ids: readonly string[]; lookUp: ItemLookup }) {
  if (ids.length === 0) return null;
  const items = ids.slice(0, mostNamed).map((itemId, index) => (
    <span key={itemId}>
      {index > 0 && ', '}
      <bdi>{lookUp({ itemId })?.title ?? itemId}</bdi>
    </span>
  ));
  return (
    <Text size="sm">
      <span className="quiet">{word}</span>{' '}
      {ids.length > mostNamed
        ? rich('{items} and {count} more', { items, count: formatCount(ids.length - mostNamed) })
        : items}
    </Text>
  );
}

const mostBars = 8;

type Pair = { value: string; before: number; after: number };

/** Shares of values in the lists, before and after, most changed first. */
function ShareBars({ before, after }: { before?: SimulatedSide; after: SimulatedSide }) {
  const all = (side?: SimulatedSide): ValueShare[] => [...(side?.shares ?? []), ...(side?.ages ?? [])];
  const keys = [...new Set([...all(before), ...all(after)].map(({ key }) => key))];
  return (
    <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="xl">
      {keys.map((key) => (
        <Stack key={key} gap="xs">
          <Text size="sm" fw={600}>
            {keyWords(key)}
          </Text>
          {pairsOf(key, all(before), all(after)).map((pair) => (
            <PairOfBars key={pair.value} pair={pair} />
          ))}
        </Stack>
      ))}
    </SimpleGrid>
  );
}

function pairsOf(key: string, before: ValueShare[], after: ValueShare[]): Pair[] {
  const shareIn = (shares: ValueShare[], value: string) =>
    shares.find((one) => one.key === key && one.value === value)?.share ?? 0;
  const values = [
    ...new Set([...before, ...after].filter((one) => one.key === key).map(({ value }) => value)),
  ];
  return values
    .map((value) => ({ value, before: shareIn(before, value), after: shareIn(after, value) }))
    .sort((a, b) => Math.abs(b.after - b.before) - Math.abs(a.after - a.before) || b.after - a.after)
    .slice(0, mostBars);
}

function PairOfBars({ pair: { value, before, after } }: { pair: Pair }) {
  return (
    <div>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text size="xs" truncate>
          <bdi>{value}</bdi>
        </Text>
        <Text size="xs" className="numbers quiet" style={{ whiteSpace: 'nowrap' }}>
          {formatShare(before)} → {formatShare(after)}
        </Text>
      </Group>
      <Box h={5} w={`${100 * before}%`} bg="var(--line)" style={{ borderRadius: 2 }} />
      <Box h={5} mt={2} w={`${100 * after}%`} bg="var(--mantine-color-ink-5)" style={{ borderRadius: 2 }} />
    </div>
  );
}
