import { Group, NumberInput, Select, Stack, Textarea } from '@mantine/core';
import type { ConstraintRule, Rule } from '../../grammar/document.ts';
import { useProperties } from '../../grammar/properties.ts';
import { ConditionFields, PropertySelect } from './condition-fields.tsx';

type RuleFieldsProps = { rule: Rule; onChange(rule: Rule): void };

type Kind = 'must' | 'min' | 'max' | 'both' | 'none' | 'diversify';

const kinds: { value: Kind; label: string }[] = [
  { value: 'must', label: 'Only items that …' },
  { value: 'min', label: 'At least so many that …' },
  { value: 'max', label: 'At most so many that …' },
  { value: 'both', label: 'From … to so many that …' },
  { value: 'none', label: 'None that …' },
  { value: 'diversify', label: 'Not too many of the same …' },
];

function kindOf(rule: Rule): Kind {
  if (rule.kind === 'diversify') return 'diversify';
  const { min, max } = rule;
  if (max === 0 && min === undefined) return 'none';
  if (min !== undefined) return max === undefined ? 'min' : 'both';
  return max === undefined ? 'must' : 'max';
}

function withKind(rule: Rule, kind: Kind): Rule {
  const { note } = rule;
  if (kind === 'diversify') {
    const key = rule.kind === 'diversify' ? rule.key : rule.condition.key;
    return { kind: 'diversify', key: key || 'categories', max: 3, note };
  }
  const condition = rule.kind === 'diversify' ? { key: rule.key, tests: [] } : rule.condition;
  const base: ConstraintRule = { kind: 'constraint', condition, note };
  const min = rule.kind === 'constraint' ? (rule.min ?? 1) : 1;
  const max = rule.max || 3;
  switch (kind) {
    case 'must':
      return base;
    case 'none':
      return { ...base, max: 0 };
    case 'min':
      return { ...base, min };
    case 'max':
      return { ...base, max };
    default:
      return { ...base, min, max: Math.max(min, max) };
  }
}

/** A rule by picking: how many, of what. */
export function RuleFields({ rule, onChange }: RuleFieldsProps) {
  const kind = kindOf(rule);
  return (
    <Stack gap="sm">
      <Group gap="xs" align="flex-end">
        <Select
          label="The list has"
          data={kinds}
          value={kind}
          onChange={(next) => next && onChange(withKind(rule, next as Kind))}
          flex="1 1 200px"
        />
        <LimitFields rule={rule} onChange={onChange} />
      </Group>
      {rule.kind === 'diversify' ? (
        <DiversifyFields rule={rule} onChange={onChange} />
      ) : (
        <ConditionFields
          condition={rule.condition}
          onChange={(condition) => onChange({ ...rule, condition })}
        />
      )}
      <NoteField note={rule.note} onChange={(note) => onChange({ ...rule, note })} />
    </Stack>
  );
}

export function NoteField({ note, onChange }: { note: string; onChange(note: string): void }) {
  return (
    <Textarea
      label="Why"
      placeholder="For the next person who reads it"
      autosize
      minRows={1}
      maxLength={10_000}
      value={note}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

function LimitFields({ rule, onChange }: RuleFieldsProps) {
  const field = (label: string, value: number, least: number, set: (value: number) => Rule) => (
    <NumberInput
      label={label}
      min={least}
      max={1000}
      value={value}
      onChange={(next) => typeof next === 'number' && onChange(set(next))}
      w={90}
    />
  );
  if (rule.kind === 'diversify') return field('At most', rule.max, 1, (max) => ({ ...rule, max }));
  const { min, max } = rule;
  return (
    <>
      {min !== undefined && field('At least', min, 0, (value) => ({ ...rule, min: value }))}
      {max !== undefined && max > 0 && field('At most', max, 1, (value) => ({ ...rule, max: value }))}
    </>
  );
}

function DiversifyFields({
  rule,
  onChange,
}: {
  rule: Rule & { kind: 'diversify' };
  onChange(rule: Rule): void;
}) {
  const properties = useProperties();
  return (
    <PropertySelect
      label="Of the same"
      properties={properties}
      value={rule.key}
      onChange={(key) => onChange({ ...rule, key })}
    />
  );
}
