import { Button, Group, Paper, Text } from '@mantine/core';
import { useState } from 'react';
import { ConditionFields } from '../configurations/editor/condition-fields.tsx';
import type { Condition } from '../grammar/document.ts';
import { conditionWords } from '../grammar/words.ts';
import { AddButton, RemoveButton } from '../kit/fields.tsx';
import { t } from '../texts/texts.ts';
import { readConditions, writeConditions } from './queries.ts';

type PropertyFiltersProps = { where: string; onChange(where: string): void };

/** Conditions on properties in words; one is open for editing. */
export function PropertyFilters({ where, onChange }: PropertyFiltersProps) {
  const conditions = readConditions(where);
  const [open, setOpen] = useState<number>();
  const set = (next: Condition[]) => onChange(writeConditions(next));
  const opened = open === undefined ? undefined : conditions[open];
  return (
    <>
      <Group gap="xs" mt="sm">
        {conditions.map((condition, index) => (
          <Chip
            // biome-ignore lint/suspicious/noArrayIndexKey: a condition is its index
            key={index}
            words={condition.key ? conditionWords(condition) : t('Choose a property')}
            isOpen={open === index}
            onToggle={() => setOpen(open === index ? undefined : index)}
            onRemove={() => {
              setOpen(undefined);
              set(conditions.toSpliced(index, 1));
            }}
          />
        ))}
        <AddButton
          variant="subtle"
          size="compact-sm"
          onClick={() => {
            set([...conditions, { key: '', tests: [] }]);
            setOpen(conditions.length);
          }}
        >
          {t('Filter by property')}
        </AddButton>
      </Group>
      {open !== undefined && opened && (
        <Paper p="sm" mt="xs" maw={560} role="group" aria-label={t('Filter')}>
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
      <RemoveButton name={words} onClick={onRemove} />
    </Group>
  );
}
