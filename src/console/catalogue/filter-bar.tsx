import { Group, Select } from '@mantine/core';
import { useProperties } from '../grammar/properties.ts';
import { LateInput } from '../kit/fields.tsx';
import { Search } from '../kit/icons.ts';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';
import type { Filters } from './queries.ts';

const missing = {
  title: t('No title'),
  images: t('No picture'),
  price: t('No price'),
  description: t('No description'),
  categories: t('No category'),
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
        aria-label={t('Title or ID')}
        placeholder={t('Title or ID')}
        leftSection={<Search size={15} aria-hidden />}
        pauseMs={typingMs}
        value={filters.text}
        onChange={(typed) => onChange({ text: typed })}
        flex="3 1 220px"
      />
      {select(t('Type'), 'type', [any(t('All types')), ...environment.itemTypes.map(({ name }) => name)])}
      {select(t('Status'), 'status', [
        any(t('Any status')),
        { value: 'enabled', label: t('Enabled') },
        { value: 'disabled', label: t('Disabled') },
        { value: 'expired', label: t('Expired') },
      ])}
      {select(t('Completeness'), 'missing', [
        any(t('Any completeness')),
        ...Object.entries(missing)
          .filter(
            ([key]) =>
              ['images', 'title'].includes(key) || properties.some((property) => property.key === key),
          )
          .map(([value, label]) => ({ value, label })),
      ])}
      {select(t('Order'), 'order', [any(t('By type and ID')), ...orders])}
    </Group>
  );
}
