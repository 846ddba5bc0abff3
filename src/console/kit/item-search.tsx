import { useQuery } from '@connectrpc/connect-query';
import { Combobox, Group, Loader, Text, TextInput, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData } from '@tanstack/react-query';
import { Search } from 'lucide-react';
import { useState } from 'react';
import { CatalogueService } from '../../../gen/es/personalisation/v1/catalogue_service_pb.js';
import type { Item } from '../../../gen/es/personalisation/v1/item_pb.js';
import { useConsole } from '../service/console-context.ts';
import { type ItemName, itemKey } from './item-key.ts';
import { ItemPicture } from './item-picture.tsx';

type ItemSearchProps = {
  label: string;
  placeholder?: string;
  isLabelHidden?: boolean;
  onPick(name: ItemName, item: Item): void;
};

const mostShown = 12;
const typingMs = 150;

/** Finds an item by a part of its title or id. */
export function ItemSearch({ label, placeholder = 'Title or id', isLabelHidden, onPick }: ItemSearchProps) {
  const { environment, can } = useConsole();
  const mayFind = can('items');
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() });
  const [text, setText] = useState('');
  const [wanted] = useDebouncedValue(text.trim(), typingMs);
  const { data, error, isFetching, isPlaceholderData } = useQuery(
    CatalogueService.method.listItems,
    { environment: environment.name, text: wanted, pageSize: mostShown },
    { enabled: combobox.dropdownOpened && mayFind, placeholderData: keepPreviousData },
  );
  const items = data?.items ?? [];
  const isLooking = isPlaceholderData || wanted !== text.trim();
  const pick = (key: string) => {
    const item = items.find((one) => keyOf(one) === key);
    if (!item) return;
    setText('');
    combobox.closeDropdown();
    onPick({ itemType: item.itemType ?? '', itemId: item.itemId ?? '' }, item);
  };
  return (
    <Combobox store={combobox} onOptionSubmit={pick} withinPortal>
      <Combobox.Target>
        <TextInput
          label={isLabelHidden ? undefined : label}
          aria-label={isLabelHidden ? label : undefined}
          placeholder={placeholder}
          description={mayFind ? undefined : 'Items are found by clients that have the scope items.'}
          error={error?.rawMessage}
          value={text}
          leftSection={<Search size={14} aria-hidden />}
          rightSection={isFetching ? <Loader size={14} role="status" aria-label="Searching" /> : null}
          onChange={(event) => {
            setText(event.currentTarget.value);
            combobox.openDropdown();
            combobox.updateSelectedOptionIndex();
          }}
          onClick={() => combobox.openDropdown()}
          onFocus={() => combobox.openDropdown()}
          onBlur={() => combobox.closeDropdown()}
        />
      </Combobox.Target>
      <Combobox.Dropdown hidden={!data || (isLooking && items.length === 0)}>
        <Combobox.Options mah={320} style={{ overflowY: 'auto' }}>
          {items.map((item) => (
            <Combobox.Option key={keyOf(item)} value={keyOf(item)}>
              <Group gap="sm" wrap="nowrap">
                <ItemPicture item={item} name={item.itemId ?? ''} size="small" />
                <div style={{ minWidth: 0 }}>
                  <Text size="sm" truncate>
                    <bdi>{item.title ?? item.itemId}</bdi>
                  </Text>
                  <Text size="xs" className="quiet" truncate>
                    {item.itemType}
                    {item.enabled ? '' : ' · disabled'}
                  </Text>
                </div>
              </Group>
            </Combobox.Option>
          ))}
          {data && items.length === 0 && (
            <Combobox.Empty>No item has that in its title or id.</Combobox.Empty>
          )}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}

const keyOf = (item: Item): string => itemKey({ itemType: item.itemType ?? '', itemId: item.itemId ?? '' });
