import { Badge, Button, Group, Paper, SimpleGrid, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMemo } from 'react';
import { CatalogueService } from '../../../gen/es/personalisation/v1/catalogue_service_pb.js';
import { ItemService } from '../../../gen/es/personalisation/v1/item_service_pb.js';
import { PreviewService } from '../../../gen/es/personalisation/v1/preview_service_pb.js';
import { startOfDay } from '../../ranking/runtime/time-zones.ts';
import { modelName } from '../kit/colors.ts';
import { formatCount, formatMoment, momentOf } from '../kit/format.ts';
import { type ItemName, itemKey } from '../kit/item-names.ts';
import { ItemLine, ItemPicture } from '../kit/item-picture.tsx';
import { useItems } from '../kit/items.ts';
import {
  ErrorNotice,
  Heading,
  Hint,
  Loading,
  PageFrame,
  PageLink,
  PageSkeleton,
  Section,
} from '../kit/page.tsx';
import { isNotFound, useChange, useRead } from '../kit/queries.ts';
import { Sparkline } from '../kit/sparkline.tsx';
import { useConsole } from '../service/console-context.ts';
import { rich } from '../texts/rich-text.ts';
import { t } from '../texts/texts.ts';
import { DocumentEditor } from './document-editor.tsx';
import { Placements } from './placements.tsx';
import { useItemDocument } from './queries.ts';

const toAll = <PageLink to="catalogue">{t('Catalogue')}</PageLink>;

/** One item: performance, raw data, placements and related items. */
export function ItemPage(name: ItemName) {
  const { can, mayChange } = useConsole();
  const { data, error, refetch } = useRead(ItemService.method.getItem, name);
  const stored = useItemDocument(name);
  if (isNotFound(error))
    return (
      <PageFrame title={t('Item not found')}>
        {rich('No item has this ID in this environment. Search by title: {toAll}', { toAll })}
      </PageFrame>
    );
  const failed = [{ error, refetch }, stored].find((read) => read.error);
  const notice = failed && <ErrorNotice error={failed.error!} onRetry={failed.refetch} />;
  if (!data?.item || !stored.data) return notice ?? <PageSkeleton />;
  const { title = name.itemId, enabled, revision, updateTime } = data.item;
  const updated = momentOf(updateTime);
  return (
    <PageFrame
      title={
        <Group gap="sm" component="span" wrap="nowrap" align="flex-start">
          <ItemPicture item={data.item} name={name.itemId} size="small" />
          <span>
            <bdi style={{ overflowWrap: 'anywhere' }}>{title}</bdi>{' '}
            <Badge color={enabled ? 'green' : 'gray'}>{enabled ? t('Enabled') : t('Disabled')}</Badge>
          </span>
        </Group>
      }
      lead={
        <>
          {toAll} / {name.itemType} / <bdi>{name.itemId}</bdi>
        </>
      }
      actions={mayChange('items') && <StatusButton name={name} title={title} enabled={enabled} />}
    >
      {notice}
      {can('metrics') && <Performance name={name} />}
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        <div style={{ minWidth: 0 }}>
          <DocumentEditor name={name} stored={stored.data} isReadOnly={!mayChange('items')} />
          <Hint mt="xs">
            {t(updated ? 'Revision {revision}, {time}' : 'Revision {revision}', {
              revision,
              time: updated && formatMoment(updated),
            })}
          </Hint>
        </div>
        {can('explanations') && (
          <Stack gap="lg" miw={0}>
            {can('configurations') && <Placements name={name} />}
            <RelatedItems name={name} />
          </Stack>
        )}
      </SimpleGrid>
    </PageFrame>
  );
}

function StatusButton({ name, title, enabled }: { name: ItemName; title: string; enabled: boolean }) {
  const enable = useChange(ItemService.method.enableItem);
  const disable = useChange(ItemService.method.disableItem);
  const offerUndo = () => {
    const undo = () => {
      enable.mutate(name);
      notifications.hide(id);
    };
    const id = notifications.show({
      message: (
        <Group justify="space-between" wrap="nowrap">
          <Text size="sm" className="clamp-2">
            {t('“{title}” is disabled.', { title })}
          </Text>
          <Button size="compact-sm" flex="none" onClick={undo}>
            {t('Undo')}
          </Button>
        </Group>
      ),
    });
  };
  /** The notice below the button reports a failure. */
  const turnOff = () => disable.mutateAsync(name).then(offerUndo, () => undefined);
  const error = enable.error ?? disable.error;
  return (
    <>
      <Button
        loading={enable.isPending || disable.isPending}
        onClick={() => (enabled ? void turnOff() : enable.mutate(name))}
      >
        {enabled ? t('Disable') : t('Enable')}
      </Button>
      {error && <ErrorNotice error={error} />}
    </>
  );
}

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
function RelatedItems({ name }: { name: ItemName }) {
  const { data, error, refetch } = useRead(PreviewService.method.previewRecommendations, {
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

const days = 28;

/** Counts of an item, each with the event types that it adds up. */
const measures: [label: string, eventTypes: RegExp][] = [
  [t('Impressions'), /impression$/],
  [t('Clicks on recommendations'), /click_on_recommendation$/],
  [t('Page views'), /^detail_pageview$/],
  [t('Purchases'), /^purchase$/],
];

/** Daily counts of an item over 28 days. */
function Performance({ name }: { name: ItemName }) {
  const { environment } = useConsole();
  const { data, error, refetch } = useRead(CatalogueService.method.getItemFigures, { ...name, days });
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
