import { MultiSelect, SimpleGrid } from '@mantine/core';
import { EventTypeSchema } from '../../../gen/es/personalisation/v1/event_pb.js';
import { LateInput } from '../kit/late-input.tsx';
import { typeWords } from './event-row.tsx';
import type { Filter } from './live-events.ts';
import { text } from './text.ts';

const types = EventTypeSchema.values
  .filter(({ number }) => number !== 0)
  .map(({ name }) => name.slice('EVENT_TYPE_'.length).toLowerCase())
  .map((value) => ({ value, label: typeWords(value) }))
  .sort((a, b) => a.label.localeCompare(b.label));

type FilterBarProps = { filter: Filter; onChange(change: Partial<Filter>): void };

/** What is shown; texts apply when one stops typing. */
export function FilterBar({ filter, onChange }: FilterBarProps) {
  return (
    <SimpleGrid cols={{ base: 2, lg: 4 }} spacing="sm" mb="md">
      <MultiSelect
        label={text.types}
        placeholder={filter.types.length === 0 ? text.allTypes : ''}
        data={types}
        value={filter.types}
        onChange={(next) => onChange({ types: next })}
        searchable
        clearable
        hidePickedOptions
        clearButtonProps={{ 'aria-label': 'Clear types' }}
      />
      <LateInput label={text.visitor} value={filter.visitor} onChange={(visitor) => onChange({ visitor })} />
      <LateInput label={text.item} value={filter.item} onChange={(item) => onChange({ item })} />
      <LateInput label={text.pageType} value={filter.page} onChange={(page) => onChange({ page })} />
    </SimpleGrid>
  );
}
