import { ActionIcon, Group, Select, Stack, Tooltip } from '@mantine/core';
import { type Condition, fitsOneQuery, type Test } from '../../grammar/document.ts';
import { type Property, propertyOf, useProperties } from '../../grammar/properties.ts';
import { AddButton, RemoveButton } from '../../kit/fields.tsx';
import { Variable as VariableIcon } from '../../kit/icons.ts';
import { t } from '../../texts/texts.ts';
import { type Choice, choiceLabels, choiceOf, choicesFor, firstTest, withChoice } from './choices.ts';
import { ValueFields, VariableFields } from './value-fields.tsx';

type ConditionFieldsProps = {
  condition: Condition;
  onChange(condition: Condition): void;
  /** Whether values may come from the request [true]. */
  takesVariables?: boolean;
};

/** Form of a condition: property, operators and values. */
export function ConditionFields({ condition, onChange, takesVariables = true }: ConditionFieldsProps) {
  const properties = useProperties('everywhere');
  const property = propertyOf(properties, condition.key);
  const { tests } = condition;
  const next = choicesFor(property.type)
    .map((choice) => withChoice(choice))
    .find((test) => fitsOneQuery([...tests, test]));
  const changeKey = (key: string) => {
    const { type } = propertyOf(properties, key);
    onChange({ key, tests: type === property.type && condition.key ? tests : [firstTest(type)] });
  };
  return (
    <Stack gap="xs">
      <PropertySelect label={t('Property')} value={condition.key} onChange={changeKey} />
      {tests.map((test, index) => (
        <TestFields
          // biome-ignore lint/suspicious/noArrayIndexKey: tests have no id
          key={index}
          test={test}
          property={property}
          isOnly={tests.length === 1}
          takesVariables={takesVariables}
          isPossible={(choice) => fitsOneQuery(tests.with(index, withChoice(choice, test)))}
          onChange={(changed) =>
            onChange({ ...condition, tests: tests.toSpliced(index, 1, ...(changed ? [changed] : [])) })
          }
        />
      ))}
      {condition.key && property.type !== 'boolean' && next && (
        <AddButton
          variant="subtle"
          size="compact-xs"
          onClick={() => onChange({ ...condition, tests: [...tests, next] })}
        >
          {t('and')}
        </AddButton>
      )}
    </Stack>
  );
}

type PropertySelectProps = { label: string; value: string; onChange(key: string): void };

export function PropertySelect({ label, value, onChange }: PropertySelectProps) {
  const properties = useProperties('everywhere');
  const isKnown = !value || properties.some(({ key }) => key === value);
  const all = isKnown ? properties : [...properties, propertyOf(properties, value)];
  const data = Array.from(
    Map.groupBy(all, ({ group }) => group),
    ([group, items]) => ({ group, items: items.map((one) => ({ value: one.key, label: one.label })) }),
  );
  return (
    <Select
      label={label}
      placeholder={t('Choose a property')}
      data={data}
      value={value || null}
      onChange={(key) => key && onChange(key)}
      searchable
      nothingFoundMessage={t('No matching property.')}
      maxDropdownHeight={320}
    />
  );
}

type TestFieldsProps = {
  test: Test;
  property: Property;
  isOnly: boolean;
  takesVariables: boolean;
  /** Whether the query has room for an operator beside the other tests. */
  isPossible(choice: Choice): boolean;
  /** Undefined removes the test. */
  onChange(test: Test | undefined): void;
};

const variableHint = t('Value from the request');

function TestFields({ test, property, isOnly, takesVariables, isPossible, onChange }: TestFieldsProps) {
  const choice = choiceOf(test, property.type);
  const offered = choicesFor(property.type).filter(isPossible);
  const compared = test.kind === 'compare' ? test : undefined;
  const index = compared?.operands.findIndex((operand) => 'variable' in operand) ?? -1;
  const operand = compared?.operands[index];
  const variable = operand && 'variable' in operand ? operand.variable : undefined;
  const toggleVariable = () => {
    const operands = variable ? [] : [{ variable: { name: property.key, on_absent_drop: true } }];
    if (compared) onChange({ ...compared, operands });
  };
  return (
    <Group gap="xs" align="flex-start" wrap="wrap">
      <Select
        aria-label={t('Operator')}
        data={[...new Set([...offered, choice])].map((value) => ({ value, label: t(choiceLabels[value]) }))}
        value={choice}
        onChange={(next) => next && onChange(withChoice(next as Choice, test))}
        w={140}
      />
      <div style={{ flex: '1 1 180px', minWidth: 0 }}>
        {variable && compared ? (
          <VariableFields
            variable={variable}
            onChange={(next) => onChange({ ...compared, operands: compared.operands.with(index, next) })}
          />
        ) : (
          <ValueFields test={test} choice={choice} property={property} onChange={onChange} />
        )}
      </div>
      {takesVariables && compared && choice !== 'yes' && choice !== 'no' && (
        <Tooltip label={variable ? t('Fixed value') : variableHint}>
          <ActionIcon
            variant={variable ? 'light' : 'default'}
            size={34}
            onClick={toggleVariable}
            aria-label={variableHint}
            aria-pressed={Boolean(variable)}
          >
            <VariableIcon size={15} />
          </ActionIcon>
        </Tooltip>
      )}
      {!isOnly && <RemoveButton name={t('the condition')} onClick={() => onChange(undefined)} />}
    </Group>
  );
}
