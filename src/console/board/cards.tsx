import {
  closestCenter,
  DndContext,
  type DragEndEvent,
  KeyboardSensor,
  PointerSensor,
  useSensor,
  useSensors,
} from '@dnd-kit/core';
import {
  rectSortingStrategy,
  SortableContext,
  sortableKeyboardCoordinates,
  useSortable,
} from '@dnd-kit/sortable';
import { ActionIcon, Badge, Group, Menu, Modal, Text, Tooltip } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { Item } from '../../../gen/es/personalisation/v1/item_pb.js';
import type { Document } from '../grammar/document.ts';
import {
  arrangementOf,
  hiddenFrom,
  isSameItem,
  type NamedItem,
  pinnedAt,
  unpinned,
  weighted,
  weightOfItem,
} from '../grammar/search-rules.ts';
import { formatCount, formatShare } from '../kit/format.ts';
import { Ellipsis, EyeOff, GripVertical, Pin } from '../kit/icons.ts';
import { type ItemName, itemKey } from '../kit/item-names.ts';
import { ItemPicture } from '../kit/item-picture.tsx';
import { ItemSearch } from '../kit/item-search.tsx';
import { type ItemLookup, usePrice } from '../kit/items.ts';
import { Hint } from '../kit/page.tsx';
import { readPeriod, usePerformance } from '../kit/performance.tsx';
import cards from '../lists/list-section.module.css';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';
import type { ArrangedItem } from './arranged.ts';
import classes from './cards.module.css';

type CardsProps = {
  items: readonly ArrangedItem[];
  lookUp: ItemLookup;
  document: Document;
  isStale: boolean;
  isReadOnly: boolean;
  onChange(document: Document): void;
};

export const referenceTo = ({ itemId, itemType }: ItemName): NamedItem => ({
  item_id: itemId,
  item_type: itemType,
});

/** The items as cards; dragging one to a place pins it there. */
export function Cards(props: CardsProps) {
  const { items, document, isStale, lookUp, onChange } = props;
  const [addAt, setAddAt] = useState<number>();
  const figuresOf = useFigures();
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 5 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  );
  const keys = items.map(itemKey);
  const at = (id: string | number) => items[keys.indexOf(String(id))];
  const titleOf = (id: string | number) => lookUp(at(id))?.title ?? at(id)?.itemId ?? '';
  const drop = ({ active, over }: DragEndEvent) => {
    if (!over || active.id === over.id) return;
    onChange(pinnedAt(document, referenceTo(at(active.id)), at(over.id).rank));
  };
  const announcements = {
    onDragStart: ({ active }: DragEndEvent) => t('Picked up {title}.', { title: titleOf(active.id) }),
    onDragOver: ({ active, over }: DragEndEvent) =>
      over
        ? t('{title} is over position {rank}.', { title: titleOf(active.id), rank: at(over.id).rank })
        : undefined,
    onDragEnd: ({ active, over }: DragEndEvent) =>
      over
        ? t('{title} is pinned at position {rank}.', { title: titleOf(active.id), rank: at(over.id).rank })
        : undefined,
    onDragCancel: ({ active }: DragEndEvent) =>
      t('{title} stays where it was.', { title: titleOf(active.id) }),
  };
  return (
    <DndContext
      sensors={sensors}
      collisionDetection={closestCenter}
      onDragEnd={drop}
      accessibility={{ announcements }}
    >
      <SortableContext items={keys} strategy={rectSortingStrategy} disabled={props.isReadOnly}>
        <ol className={cards.cards} aria-label={t('Items')} aria-busy={isStale}>
          {items.map((item) => (
            <Card
              key={itemKey(item)}
              item={item}
              known={lookUp(item)}
              figures={figuresOf(item)}
              {...props}
              onAdd={() => setAddAt(item.rank)}
            />
          ))}
        </ol>
      </SortableContext>
      <Modal
        opened={addAt !== undefined}
        onClose={() => setAddAt(undefined)}
        title={t('Add an item at position {rank}', { rank: addAt })}
      >
        <ItemSearch
          label={t('Item')}
          onPick={({ itemId, itemType }) => {
            onChange(pinnedAt(document, { item_id: itemId, item_type: itemType }, addAt!));
            setAddAt(undefined);
          }}
        />
      </Modal>
    </DndContext>
  );
}

type CardProps = Omit<CardsProps, 'items' | 'lookUp' | 'isStale'> & {
  item: ArrangedItem;
  known: Item | undefined;
  figures: ReturnType<FigureLookup>;
  onAdd(): void;
};

function Card(props: CardProps) {
  const { item, known, figures, isReadOnly } = props;
  const { attributes, listeners, setNodeRef, setActivatorNodeRef, transform, transition, isDragging } =
    useSortable({ id: itemKey(item) });
  const title = known?.title ?? item.itemId;
  const price = usePrice(known);
  const brand = known?.properties?.brand;
  const style = {
    transform: transform ? `translate(${transform.x}px, ${transform.y}px)` : undefined,
    transition,
    zIndex: isDragging ? 1 : undefined,
  };
  return (
    <li
      ref={setNodeRef}
      className={`${cards.card} ${classes.card}`}
      style={style}
      data-dragging={isDragging || undefined}
    >
      <div className={cards.top}>
        <ItemPicture item={known} name={item.itemId} />
        <span className={`${cards.rank} numbers`}>{item.rank}</span>
        {!isReadOnly && (
          <ActionIcon
            ref={setActivatorNodeRef}
            className={classes.handle}
            {...attributes}
            {...listeners}
            aria-label={t('Move {title}', { title })}
          >
            <GripVertical size={15} />
          </ActionIcon>
        )}
      </div>
      <Text size="sm" fw={500} lh={1.35} className="clamp-2" mih="2.7em" title={title}>
        <bdi>{title}</bdi>
      </Text>
      <Group justify="space-between" gap={6} wrap="nowrap">
        <Text size="xs" className="quiet" truncate>
          <bdi>{typeof brand === 'string' ? brand : item.itemType}</bdi>
        </Text>
        <Text size="xs" className="numbers">
          {price}
        </Text>
      </Group>
      <Group justify="space-between" gap={6} mih={18}>
        <Hint>{stockWords(known)}</Hint>
        <Hint className="numbers">{figures}</Hint>
      </Group>
      <Group gap={4}>
        {item.effects.map((effect, at) => (
          <Badge
            key={effect}
            size="sm"
            color={item.isPinned && at === 0 ? 'ink' : 'gray'}
            className={classes.effect}
          >
            {effect}
          </Badge>
        ))}
      </Group>
      {!isReadOnly && <CardActions {...props} title={title} />}
    </li>
  );
}

/** Stock by the usual names of properties; empty without one. */
function stockWords(item: Item | undefined): string {
  const { stock, in_stock } = item?.properties ?? {};
  if (typeof stock === 'number') return t('{stock} in stock', { stock });
  if (typeof in_stock === 'boolean') return in_stock ? t('In stock') : t('Out of stock');
  return '';
}

function CardActions({ item, document, title, onChange, onAdd }: CardProps & { title: string }) {
  const name = referenceTo(item);
  const isPinned = (arrangementOf(document).pins ?? []).some((pin) => isSameItem(pin, name));
  const weight = weightOfItem(document, item.itemId);
  const weigh = (next: number) => () => onChange(weighted(document, item.itemId, weight === next ? 0 : next));
  const pinWords = isPinned ? t('Unpin') : t('Pin at {rank}', { rank: item.rank });
  const pin = () => onChange(isPinned ? unpinned(document, name) : pinnedAt(document, name, item.rank));
  return (
    <Group gap={4} mt="auto">
      <Tooltip label={pinWords}>
        <ActionIcon
          variant={isPinned ? 'filled' : 'default'}
          aria-label={isPinned ? t('Unpin {title}', { title }) : t('Pin {title}', { title })}
          onClick={pin}
        >
          <Pin size={15} />
        </ActionIcon>
      </Tooltip>
      <Tooltip label={t('Hide')}>
        <ActionIcon
          aria-label={t('Hide {title}', { title })}
          onClick={() => onChange(hiddenFrom(document, name))}
        >
          <EyeOff size={15} />
        </ActionIcon>
      </Tooltip>
      <Menu position="bottom-start">
        <Menu.Target>
          <ActionIcon aria-label={t('More for {title}', { title })}>
            <Ellipsis size={15} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={weigh(1)}>{weight > 0 ? t('Remove the boost') : t('Boost')}</Menu.Item>
          <Menu.Item onClick={weigh(-1)}>{weight < 0 ? t('No longer bury') : t('Bury')}</Menu.Item>
          <Menu.Item onClick={onAdd}>{t('Add an item here …')}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </Group>
  );
}

const mostItems = 1_000;

/** Returns the words for an item; undefined without traffic. */
type FigureLookup = (name: ItemName) => string | undefined;

/** Impressions and CTR of the last 28 days, of the items with most traffic. */
function useFigures(): FigureLookup {
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
