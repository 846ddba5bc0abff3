import { Combobox, Loader, TextInput } from '@mantine/core';
import { keepPreviousData } from '@tanstack/react-query';
import { CatalogueService } from '../../../gen/es/personalisation/v1/catalogue_service_pb.js';
import type { Item } from '../../../gen/es/personalisation/v1/item_pb.js';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';
import { Search } from './icons.ts';
import { type ItemName, itemKey } from './item-names.ts';
import { ItemLine } from './item-picture.tsx';
import { useRead } from './queries.ts';
import { useTypeahead } from './typeahead.ts';

type ItemSearchProps = {
  label: string;
  placeholder?: string;
  isLabelHidden?: boolean;
  onPick(name: ItemName, item: Item): void;
};

const mostShown = 12;

/** Finds items by a part of the title or ID. */
export function ItemSearch({
  label,
  placeholder = t('Title or ID'),
  isLabelHidden,
  onPick,
}: ItemSearchProps) {
  const { can } = useConsole();
  const { store, setText, wanted, isTyping, inputProps } = useTypeahead();
  const { data, error, isFetching, isPlaceholderData } = useRead(
    CatalogueService.method.listItems,
    { query: wanted, pageSize: mostShown },
    { enabled: store.dropdownOpened && can('items'), placeholderData: keepPreviousData },
  );
  const items = data?.items ?? [];
  const pick = (key: string) => {
    const item = items.find((one) => itemKey(one) === key);
    if (!item) return;
    setText('');
    store.closeDropdown();
    onPick(nameOf(item), item);
  };
  return (
    <Combobox store={store} onOptionSubmit={pick} withinPortal>
      <Combobox.Target>
        <TextInput
          {...inputProps}
          {...(isLabelHidden ? { 'aria-label': label } : { label })}
          placeholder={placeholder}
          description={can('items') ? undefined : t('Searching items needs the scope items.')}
          error={error?.rawMessage}
          leftSection={<Search size={14} />}
          rightSection={isFetching ? <Loader size={14} role="status" aria-label={t('Searching')} /> : null}
          onClick={() => store.openDropdown()}
        />
      </Combobox.Target>
      <Combobox.Dropdown hidden={!data || ((isPlaceholderData || isTyping) && items.length === 0)}>
        <Combobox.Options mah={320} style={{ overflowY: 'auto' }}>
          {items.map((item) => (
            <Combobox.Option key={itemKey(item)} value={itemKey(item)}>
              <ItemLine item={item} name={nameOf(item)}>
                {item.itemType}
                {item.enabled ? '' : ` · ${t('disabled')}`}
              </ItemLine>
            </Combobox.Option>
          ))}
          {data && items.length === 0 && <Combobox.Empty>{t('No matching item.')}</Combobox.Empty>}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}

const nameOf = ({ itemType = '', itemId = '' }: Item): ItemName => ({ itemType, itemId });
