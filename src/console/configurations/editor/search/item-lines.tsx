import { Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { freeRank, type NamedItem, type Pin } from '../../../grammar/search-rules.ts';
import { CountField, RemoveButton } from '../../../kit/fields.tsx';
import type { ItemName } from '../../../kit/item-names.ts';
import { ItemLine } from '../../../kit/item-picture.tsx';
import { ItemSearch } from '../../../kit/item-search.tsx';
import { useItems } from '../../../kit/items.ts';
import { Hint } from '../../../kit/page.tsx';
import { t } from '../../../texts/texts.ts';

const keyOf = ({ item_id, item_type = '' }: NamedItem): string => `${item_type}/${item_id}`;
const toName = ({ item_id, item_type = '' }: NamedItem): ItemName => ({
  itemId: item_id,
  itemType: item_type,
});

export function Pins({ pins, onChange }: { pins: Pin[]; onChange(pins: Pin[]): void }) {
  const isPinned = (name: NamedItem) => pins.some((pin) => keyOf(pin) === keyOf(name));
  const setRank = (pin: Pin, rank: number) =>
    onChange(pins.map((one) => (keyOf(one) === keyOf(pin) ? { ...one, rank } : one)));
  return (
    <ItemLines
      label={t('Pin an item')}
      hint={t('Always shown at this position.')}
      items={pins.toSorted((one, other) => one.rank - other.rank)}
      onAdd={(name) => !isPinned(name) && onChange([...pins, { ...name, rank: freeRank(pins) }])}
      onRemove={(name) => onChange(pins.filter((pin) => keyOf(pin) !== keyOf(name)))}
      renderPosition={(pin, title) => (
        <CountField
          aria-label={t('Position of {title}', { title })}
          min={1}
          max={100}
          value={pin.rank}
          onChange={(rank) => setRank(pin, rank)}
          w={72}
        />
      )}
    />
  );
}

export function Hides({ hides, onChange }: { hides: NamedItem[]; onChange(hides: NamedItem[]): void }) {
  const without = (name: NamedItem) => hides.filter((one) => keyOf(one) !== keyOf(name));
  return (
    <ItemLines
      label={t('Hide an item')}
      hint={t('Hidden from these results.')}
      items={hides}
      onAdd={(name) => onChange([...without(name), name])}
      onRemove={(name) => onChange(without(name))}
    />
  );
}

type ItemLinesProps<Item extends NamedItem> = {
  label: string;
  hint: string;
  items: readonly Item[];
  onAdd(name: NamedItem): void;
  onRemove(name: NamedItem): void;
  renderPosition?(item: Item, title: string): ReactNode;
};

function ItemLines<Item extends NamedItem>(props: ItemLinesProps<Item>) {
  const { label, hint, items, onAdd, onRemove, renderPosition } = props;
  const lookUp = useItems(items.map(({ item_id }) => item_id));
  return (
    <div>
      <ItemSearch
        label={label}
        onPick={({ itemId, itemType }) => onAdd({ item_id: itemId, item_type: itemType })}
      />
      <Hint mt={4}>{hint}</Hint>
      <Stack gap="xs" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
        {items.map((one) => {
          const name = toName(one);
          const item = lookUp(name);
          const title = item?.title ?? one.item_id;
          return (
            <Group key={keyOf(one)} component="li" gap="sm" wrap="nowrap">
              {renderPosition?.(one, title)}
              <ItemLine item={item} name={name} />
              <RemoveButton name={title} onClick={() => onRemove(one)} />
            </Group>
          );
        })}
      </Stack>
    </div>
  );
}
