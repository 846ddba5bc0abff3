import { useQuery } from '@connectrpc/connect-query';
import { Combobox, Group, Pill, PillsInput, Text, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData } from '@tanstack/react-query';
import { useState } from 'react';
import { CatalogueService } from '../../../gen/es/personalisation/v1/catalogue_service_pb.js';
import { formatCount } from '../kit/format.ts';
import { useConsole } from '../service/console-context.ts';
import { readScalar, type Scalar } from './document.ts';
import type { Property } from './properties.ts';

const mostShown = 100;
const typingMs = 150;
const freshMs = 60_000;

/** The values that items have, with how many have each. */
export function useValueCounts(key: string, text: string, isEnabled = true) {
  const { environment, can } = useConsole();
  return useQuery(
    CatalogueService.method.countItemValues,
    { environment: environment.name, key, text, limit: mostShown },
    {
      enabled: isEnabled && key !== '' && can('items'),
      placeholderData: keepPreviousData,
      staleTime: freshMs,
    },
  );
}

type ValuePickerProps = { property: Property; values: Scalar[]; onChange(values: Scalar[]): void };

/** Picks values that exist, and takes others too: the catalogue may get them yet. */
export function ValuePicker({ property, values, onChange }: ValuePickerProps) {
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() });
  const [text, setText] = useState('');
  const [wanted] = useDebouncedValue(text.trim(), typingMs);
  const { data, error, isLoading, isPlaceholderData } = useValueCounts(
    property.key,
    wanted,
    combobox.dropdownOpened,
  );
  const options = (data?.values ?? []).flatMap(({ value, itemCount }) => {
    const plain = value?.kind.value as Scalar;
    return values.includes(plain) ? [] : [{ plain, itemCount }];
  });
  const toScalar = (typed: string): Scalar => (property.type === 'number' ? readScalar(typed) : typed);
  const isNew = text.trim() !== '' && !options.some(({ plain }) => String(plain) === text.trim());
  const isLooking = isLoading || isPlaceholderData || wanted !== text.trim();
  const add = (typed: string) => {
    const value = toScalar(typed);
    if (!values.includes(value)) onChange([...values, value]);
    setText('');
  };
  return (
    <Combobox store={combobox} onOptionSubmit={add} withinPortal>
      <Combobox.DropdownTarget>
        <PillsInput size="sm" error={error?.rawMessage} onClick={() => combobox.openDropdown()}>
          <Pill.Group>
            {values.map((value) => (
              <Pill
                key={String(value)}
                withRemoveButton
                onRemove={() => onChange(values.filter((one) => one !== value))}
                removeButtonProps={{ 'aria-label': `Take ${value} out`, tabIndex: 0, 'aria-hidden': false }}
              >
                <bdi>{String(value)}</bdi>
              </Pill>
            ))}
            <Combobox.EventsTarget>
              <PillsInput.Field
                aria-label={`Values of ${property.label}`}
                placeholder={values.length === 0 ? 'Pick values' : ''}
                value={text}
                onChange={(event) => {
                  setText(event.currentTarget.value);
                  combobox.openDropdown();
                  combobox.updateSelectedOptionIndex();
                }}
                onFocus={() => combobox.openDropdown()}
                onBlur={() => combobox.closeDropdown()}
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
          {options.map(({ plain, itemCount }) => (
            <Combobox.Option key={String(plain)} value={String(plain)}>
              <Group justify="space-between" wrap="nowrap">
                <Text size="sm" truncate>
                  <bdi>{String(plain)}</bdi>
                </Text>
                <Text size="xs" className="quiet numbers">
                  {formatCount(itemCount)}
                </Text>
              </Group>
            </Combobox.Option>
          ))}
          {isNew && (
            <Combobox.Option value={text.trim()}>
              Take “<bdi>{text.trim()}</bdi>”
            </Combobox.Option>
          )}
          {options.length === 0 && !isNew && !error && <Combobox.Empty>No further value.</Combobox.Empty>}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}
