import { Button, Fieldset, Group, Select, Stack } from '@mantine/core';
import type { Condition, ConstraintRule, Preference, Rule } from '../../grammar/document.ts';
import { CountField, TextArea } from '../../kit/fields.tsx';
import { t } from '../../texts/texts.ts';
import { ConditionFields, PropertySelect } from './condition-fields.tsx';

type Kind = 'must' | 'min' | 'max' | 'both' | 'none' | 'diversify' | 'apart';

const kinds: { value: Kind; label: string }[] = [
  { value: 'must', label: t('Must match') },
  { value: 'min', label: t('At least N items where …') },
  { value: 'max', label: t('At most N items where …') },
  { value: 'both', label: t('N to M items where …') },
  { value: 'none', label: t('Exclude items where …') },
  { value: 'diversify', label: t('Limit per brand, category …') },
  { value: 'apart', label: t('Never in one list: …') },
];

function kindOf(rule: Rule): Kind {
  if (rule.kind !== 'constraint') return rule.kind;
  const { min, max } = rule;
  if (max === 0 && min === undefined) return 'none';
  if (min !== undefined) return max === undefined ? 'min' : 'both';
  return max === undefined ? 'must' : 'max';
}

function firstCondition(rule: Rule): Condition {
  if (rule.kind === 'diversify') return { key: rule.key, tests: [] };
  return rule.kind === 'apart' ? rule.conditions[0] : rule.condition;
}

function withKind(rule: Rule, kind: Kind): Rule {
  const { note } = rule;
  const condition = firstCondition(rule);
  if (kind === 'diversify') return { kind, key: condition.key || 'categories', max: 3, note };
  if (kind === 'apart') return { kind, conditions: [condition, { key: condition.key, tests: [] }], note };
  const base: ConstraintRule = { kind: 'constraint', condition, note };
  const min = rule.kind === 'constraint' ? (rule.min ?? 1) : 1;
  const max = (rule.kind !== 'apart' && rule.max) || 3;
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

type RuleFieldsProps = { rule: Rule; onChange(rule: Rule): void };

/** Form of a rule: type, limits and condition. */
export function RuleFields({ rule, onChange }: RuleFieldsProps) {
  return (
    <Stack gap="sm">
      <Group gap="xs" align="flex-end">
        <Select
          label={t('Type of rule')}
          data={kinds}
          value={kindOf(rule)}
          onChange={(next) => next && onChange(withKind(rule, next as Kind))}
          flex="1 1 200px"
        />
        <LimitFields rule={rule} onChange={onChange} />
      </Group>
      {rule.kind === 'diversify' ? (
        <PropertySelect label={t('Per')} value={rule.key} onChange={(key) => onChange({ ...rule, key })} />
      ) : rule.kind === 'apart' ? (
        <Groups conditions={rule.conditions} onChange={(conditions) => onChange({ ...rule, conditions })} />
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

type GroupsProps = { conditions: readonly Condition[]; onChange(conditions: Condition[]): void };

/** Conditions of groups that are never in one list. */
function Groups({ conditions, onChange }: GroupsProps) {
  return (
    <>
      {conditions.map((condition, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: conditions have no identity.
        <Fieldset key={i} legend={t('Group {number}', { number: i + 1 })}>
          <ConditionFields condition={condition} onChange={(next) => onChange(conditions.with(i, next))} />
          {conditions.length > 2 && (
            <Button variant="subtle" size="xs" onClick={() => onChange(conditions.toSpliced(i, 1))}>
              {t('Delete group {number}', { number: i + 1 })}
            </Button>
          )}
        </Fieldset>
      ))}
      {conditions.length < 10 && (
        <Button onClick={() => onChange([...conditions, { key: '', tests: [] }])}>{t('Add a group')}</Button>
      )}
    </>
  );
}

function LimitFields({ rule, onChange }: RuleFieldsProps) {
  const field = (label: string, value: number, least: number, set: (value: number) => Rule) => (
    <CountField
      label={label}
      min={least}
      max={1000}
      value={value}
      onChange={(next) => onChange(set(next))}
      w={90}
    />
  );
  if (rule.kind === 'apart') return null;
  if (rule.kind === 'diversify') return field(t('At most'), rule.max, 1, (max) => ({ ...rule, max }));
  const { min, max } = rule;
  return (
    <>
      {min !== undefined && field(t('At least'), min, 0, (value) => ({ ...rule, min: value }))}
      {max !== undefined && max > 0 && field(t('At most'), max, 1, (value) => ({ ...rule, max: value }))}
    </>
  );
}

type PreferenceFieldsProps = { preference: Preference; onChange(preference: Preference): void };

export function PreferenceFields({ preference, onChange }: PreferenceFieldsProps) {
  return (
    <Stack gap="sm">
      <CountField
        label={t('Weight')}
        description={t('An item’s weights add up over all matching preferences; below 0 ranks it last.')}
        min={-1_000_000}
        max={1_000_000}
        value={preference.weight}
        onChange={(weight) => onChange({ ...preference, weight })}
      />
      <ConditionFields
        condition={preference.condition}
        onChange={(condition) => onChange({ ...preference, condition })}
      />
      <NoteField note={preference.note} onChange={(note) => onChange({ ...preference, note })} />
    </Stack>
  );
}

function NoteField({ note, onChange }: { note: string; onChange(note: string): void }) {
  return (
    <TextArea
      label={t('Note')}
      placeholder={t('Reason, for colleagues')}
      minRows={1}
      maxLength={10_000}
      value={note}
      onChange={onChange}
    />
  );
}
