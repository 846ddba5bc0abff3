import { ActionIcon, Group, NumberInput, Stack, Text } from '@mantine/core';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { freeRank, type NamedItem, type Pin } from '../../../grammar/search-rules.ts';
import type { ItemName } from '../../../kit/item-key.ts';
import { ItemPicture } from '../../../kit/item-picture.tsx';
import { ItemSearch } from '../../../kit/item-search.tsx';
import { useItems } from '../../../kit/items.ts';
import { text } from './text.ts';

const keyOf = ({ item_id, item_type = '' }: NamedItem): string => `${item_type}/${item_id}`;

const namedItem = ({ itemId, itemType }: ItemName): NamedItem => ({ item_id: itemId, item_type: itemType });

/** Items at places of their own, in the order of the places. */
export function Pins({ pins, onChange }: { pins: Pin[]; onChange(pins: Pin[]): void }) {
  const inOrder = pins.toSorted((one, other) => one.rank - other.rank);
  const isTaken = (name: NamedItem) => pins.some((pin) => keyOf(pin) === keyOf(name));
  return (
    <ItemLines
      label={text.pins}
      hint={text.pinsHint}
      items={inOrder}
      onAdd={(name) => !isTaken(name) && onChange([...pins, { ...name, rank: freeRank(pins) }])}
      onRemove={(name) => onChange(pins.filter((pin) => keyOf(pin) !== keyOf(name)))}
      renderPlace={(pin, title) => (
        <NumberInput
          aria-label={`Place of ${title}`}
          min={1}
          max={100}
          allowDecimal={false}
          value={pin.rank}
          onChange={(rank) =>
            typeof rank === 'number' &&
            onChange(pins.map((one) => (keyOf(one) === keyOf(pin) ? { ...one, rank } : one)))
          }
          w={72}
        />
      )}
    />
  );
}

/** Items that are not found. */
export function Hides({ hides, onChange }: { hides: NamedItem[]; onChange(hides: NamedItem[]): void }) {
  const without = (name: NamedItem) => hides.filter((one) => keyOf(one) !== keyOf(name));
  return (
    <ItemLines
      label={text.hides}
      hint={text.hidesHint}
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
  renderPlace?(item: Item, title: string): ReactNode;
};

function ItemLines<Item extends NamedItem>(props: ItemLinesProps<Item>) {
  const { label, hint, items, onAdd, onRemove, renderPlace } = props;
  const lookUp = useItems(items.map(({ item_id }) => item_id));
  return (
    <div>
      <ItemSearch label={label} onPick={(name) => onAdd(namedItem(name))} />
      <Text size="xs" className="quiet" mt={4}>
        {hint}
      </Text>
      <Stack
        gap="xs"
        mt={items.length > 0 ? 'xs' : 0}
        component="ul"
        p={0}
        m={0}
        style={{ listStyle: 'none' }}
      >
        {items.map((one) => {
          const item = lookUp({ itemType: one.item_type, itemId: one.item_id });
          const title = item?.title ?? one.item_id;
          return (
            <Group key={keyOf(one)} component="li" gap="sm" wrap="nowrap">
              {renderPlace?.(one, title)}
              <ItemPicture item={item} name={one.item_id} size="small" />
              <Text size="sm" flex={1} miw={0} style={{ overflowWrap: 'anywhere' }}>
                <bdi>{title}</bdi>
              </Text>
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={`Take out ${title}`}
                onClick={() => onRemove(one)}
              >
                <X size={15} aria-hidden />
              </ActionIcon>
            </Group>
          );
        })}
      </Stack>
    </div>
  );
}
