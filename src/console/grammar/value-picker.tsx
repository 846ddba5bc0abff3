import { Combobox, Group, Pill, PillsInput, Text } from '@mantine/core';
import { keepPreviousData } from '@tanstack/react-query';
import { CatalogueService } from '../../../gen/es/personalisation/v1/catalogue_service_pb.js';
import { RemovablePill } from '../kit/fields.tsx';
import { formatCount } from '../kit/format.ts';
import { useRead } from '../kit/queries.ts';
import { useTypeahead } from '../kit/typeahead.ts';
import { useConsole } from '../service/console-context.ts';
import { rich } from '../texts/rich-text.ts';
import { t } from '../texts/texts.ts';
import { readScalar, type Scalar } from './document.ts';
import type { Property } from './properties.ts';

const mostShown = 100;
const freshMs = 60_000;

/** Values of a property in the catalogue, with the number of items of each. */
export function useValueCounts(key: string, text: string, isEnabled = true) {
  const { can } = useConsole();
  return useRead(
    CatalogueService.method.countItemValues,
    { key, text, limit: mostShown },
    {
      enabled: isEnabled && key !== '' && can('items'),
      placeholderData: keepPreviousData,
      staleTime: freshMs,
    },
  );
}

type ValuePickerProps = { property: Property; values: Scalar[]; onChange(values: Scalar[]): void };

/** Picks existing values; also takes new ones, which the catalogue may have later. */
export function ValuePicker({ property, values, onChange }: ValuePickerProps) {
  const { store, text, setText, wanted, isTyping, inputProps } = useTypeahead();
  const counts = useValueCounts(property.key, wanted, store.dropdownOpened);
  const options = (counts.data?.values ?? []).flatMap(({ value, itemCount }) => {
    const scalar = value?.kind.value as Scalar;
    return values.includes(scalar) ? [] : [{ value: String(scalar), itemCount }];
  });
  const typed = text.trim();
  const isNew = typed !== '' && !options.some(({ value }) => value === typed);
  const isLooking = counts.isLoading || counts.isPlaceholderData || isTyping;
  const add = (picked: string) => {
    const value = property.type === 'number' ? readScalar(picked) : picked;
    if (!values.includes(value)) onChange([...values, value]);
    setText('');
  };
  return (
    <Combobox store={store} onOptionSubmit={add} withinPortal>
      <Combobox.DropdownTarget>
        <PillsInput size="sm" error={counts.error?.rawMessage} onClick={() => store.openDropdown()}>
          <Pill.Group>
            <ValuePills values={values} onChange={onChange} />
            <Combobox.EventsTarget>
              <PillsInput.Field
                {...inputProps}
                aria-label={t('Values of {label}', { label: property.label })}
                placeholder={values.length === 0 ? t('Pick values') : ''}
                onKeyDown={(event) => {
                  if (event.key === 'Backspace' && text === '') onChange(values.slice(0, -1));
                }}
              />
            </Combobox.EventsTarget>
          </Pill.Group>
        </PillsInput>
      </Combobox.DropdownTarget>
      <Combobox.Dropdown hidden={isLooking && options.length === 0 && !isNew}>
        <Combobox.Options mah={280} style={{ overflowY: 'auto' }}>
          {options.map(({ value, itemCount }) => (
            <Combobox.Option key={value} value={value}>
              <Group justify="space-between" wrap="nowrap">
                <Text size="sm" truncate>
                  <bdi>{value}</bdi>
                </Text>
                <Text size="xs" className="quiet numbers">
                  {formatCount(itemCount)}
                </Text>
              </Group>
            </Combobox.Option>
          ))}
          {isNew && (
            <Combobox.Option value={typed}>
              {rich('Use “{value}”', { value: <bdi>{typed}</bdi> })}
            </Combobox.Option>
          )}
          {options.length === 0 && !isNew && !counts.error && (
            <Combobox.Empty>{t('No more values.')}</Combobox.Empty>
          )}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}

const ValuePills = ({ values, onChange }: Omit<ValuePickerProps, 'property'>) =>
  values.map((value) => (
    <RemovablePill
      key={String(value)}
      name={String(value)}
      onRemove={() => onChange(values.filter((one) => one !== value))}
    >
      <bdi>{String(value)}</bdi>
    </RemovablePill>
  ));
