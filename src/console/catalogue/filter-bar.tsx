import { Group, Select } from '@mantine/core';
import { useProperties } from '../grammar/properties.ts';
import { LateInput } from '../kit/fields.tsx';
import { Search } from '../kit/icons.ts';
import { useConsole } from '../service/console-context.ts';
import type { Filters } from './queries.ts';

const missing = {
  title: 'No title',
  images: 'No picture',
  price: 'No price',
  description: 'No description',
  categories: 'No category',
};

const typingMs = 180;

type FilterBarProps = { filters: Filters; onChange(changes: Partial<Filters>): void };

export function FilterBar({ filters, onChange }: FilterBarProps) {
  const { environment } = useConsole();
  const properties = useProperties('here');
  const any = (label: string) => ({ value: '', label });
  const select = (label: string, key: keyof Filters, data: (string | { value: string; label: string })[]) => (
    <Select
      aria-label={label}
      data={data}
      value={filters[key]}
      onChange={(value) => onChange({ [key]: value ?? '' })}
      flex="1 1 140px"
      maw={220}
    />
  );
  const orders = properties.flatMap(({ key, label, type }) =>
    type === 'string[]'
      ? []
      : [
          { value: key, label: `${label} ↑` },
          { value: `${key} desc`, label: `${label} ↓` },
        ],
  );
  return (
    <Group gap="sm">
      <LateInput
        aria-label="Title or ID"
        placeholder="Title or ID"
        leftSection={<Search size={15} aria-hidden />}
        pauseMs={typingMs}
        value={filters.text}
        onChange={(typed) => onChange({ text: typed })}
        flex="3 1 220px"
      />
      {select('Type', 'type', [any('All types'), ...environment.itemTypes.map(({ name }) => name)])}
      {select('Status', 'status', [
        any('Any status'),
        { value: 'enabled', label: 'Enabled' },
        { value: 'disabled', label: 'Disabled' },
        { value: 'expired', label: 'Expired' },
      ])}
      {select('Completeness', 'missing', [
        any('Any completeness'),
        ...Object.entries(missing)
          .filter(
            ([key]) =>
              ['images', 'title'].includes(key) || properties.some((property) => property.key === key),
          )
          .map(([value, label]) => ({ value, label })),
      ])}
      {select('Order', 'order', [any('By type and ID'), ...orders])}
    </Group>
  );
}
