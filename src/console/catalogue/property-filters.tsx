import { ActionIcon, Button, Group, Paper, Text } from '@mantine/core';
import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import { ConditionFields } from '../configurations/editor/condition-fields.tsx';
import type { Condition } from '../grammar/document.ts';
import { conditionWords } from '../grammar/words.ts';
import { readConditions, writeConditions } from './queries.ts';
import { text } from './text.ts';

type PropertyFiltersProps = { where: string; onChange(where: string): void };

/** Conditions on any property in words, one of them open to be changed. */
export function PropertyFilters({ where, onChange }: PropertyFiltersProps) {
  const conditions = readConditions(where);
  const [open, setOpen] = useState<number>();
  const set = (next: Condition[]) => onChange(writeConditions(next));
  const opened = open === undefined ? undefined : conditions[open];
  return (
    <>
      <Group gap="xs" mt="sm">
        {conditions.map((condition, place) => (
          <Chip
            // biome-ignore lint/suspicious/noArrayIndexKey: a condition is its place
            key={place}
            words={condition.key ? conditionWords(condition) : text.newFilter}
            isOpen={open === place}
            onToggle={() => setOpen(open === place ? undefined : place)}
            onRemove={() => {
              setOpen(undefined);
              set(conditions.toSpliced(place, 1));
            }}
          />
        ))}
        <Button
          variant="subtle"
          size="compact-sm"
          leftSection={<Plus size={14} aria-hidden />}
          onClick={() => {
            set([...conditions, { key: '', tests: [] }]);
            setOpen(conditions.length);
          }}
        >
          {text.addFilter}
        </Button>
      </Group>
      {open !== undefined && opened && (
        <Paper p="sm" mt="xs" maw={560} role="group" aria-label={text.filter}>
          <ConditionFields
            key={open}
            condition={opened}
            onChange={(next) => set(conditions.with(open, next))}
            takesVariables={false}
          />
        </Paper>
      )}
    </>
  );
}

type ChipProps = { words: string; isOpen: boolean; onToggle(): void; onRemove(): void };

function Chip({ words, isOpen, onToggle, onRemove }: ChipProps) {
  return (
    <Group gap={0} wrap="nowrap" maw="100%">
      <Button variant="light" size="compact-sm" aria-expanded={isOpen} onClick={onToggle}>
        <Text size="sm" truncate>
          <bdi>{words}</bdi>
        </Text>
      </Button>
      <ActionIcon variant="subtle" color="gray" size="sm" aria-label={`Take out ${words}`} onClick={onRemove}>
        <X size={14} aria-hidden />
      </ActionIcon>
    </Group>
  );
}
