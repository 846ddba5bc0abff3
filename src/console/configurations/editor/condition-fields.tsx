import { ActionIcon, Button, Group, Select, Stack, Tooltip } from '@mantine/core';
import { Plus, Variable as VariableIcon, X } from 'lucide-react';
import { type Condition, fitsOneQuery, type Test } from '../../grammar/document.ts';
import { type Property, propertyOf, useProperties } from '../../grammar/properties.ts';
import { type Choice, choiceOf, choicesFor, choiceWords, firstTest, withChoice } from './choices.ts';
import { ValueFields } from './value-fields.tsx';
import { VariableFields } from './variable-fields.tsx';

type ConditionFieldsProps = {
  condition: Condition;
  onChange(condition: Condition): void;
  /** Whether values may come with a request [true]. */
  takesVariables?: boolean;
};

/** A condition by picking: a property, then how, then which values. */
export function ConditionFields({ condition, onChange, takesVariables = true }: ConditionFieldsProps) {
  const properties = useProperties();
  const property = propertyOf(properties, condition.key);
  const { tests } = condition;
  const canBe = (place: number, choice: Choice) =>
    fitsOneQuery(tests.with(place, withChoice(choice, tests[place])));
  const next = choicesFor(property.type)
    .map((choice) => withChoice(choice))
    .find((test) => fitsOneQuery([...tests, test]));
  const setTest = (place: number, test: Test | undefined) =>
    onChange({
      ...condition,
      tests: tests.flatMap((one, i) => (i === place ? (test ?? []) : one)),
    });
  return (
    <Stack gap="xs">
      <PropertySelect
        label="Property"
        properties={properties}
        value={condition.key}
        onChange={(key) => {
          const { type } = propertyOf(properties, key);
          onChange({
            key,
            tests: type === property.type && condition.key ? tests : [firstTest(type)],
          });
        }}
      />
      {tests.map((test, place) => (
        <TestFields
          // biome-ignore lint/suspicious/noArrayIndexKey: a test is its place
          key={place}
          test={test}
          property={property}
          isOnly={tests.length === 1}
          takesVariables={takesVariables}
          canBe={(choice) => canBe(place, choice)}
          onChange={(changed) => setTest(place, changed)}
        />
      ))}
      {condition.key && property.type !== 'boolean' && next && (
        <Button
          variant="subtle"
          size="compact-xs"
          leftSection={<Plus size={13} aria-hidden />}
          style={{ alignSelf: 'flex-start' }}
          onClick={() => onChange({ ...condition, tests: [...tests, next] })}
        >
          and
        </Button>
      )}
    </Stack>
  );
}

type PropertySelectProps = {
  label: string;
  properties: Property[];
  value: string;
  onChange(key: string): void;
};

export function PropertySelect({ label, properties, value, onChange }: PropertySelectProps) {
  const groups = Map.groupBy(properties, ({ group }) => group);
  const data = Array.from(groups, ([group, items]) => ({
    group,
    items: items.map((property) => ({ value: property.key, label: property.label })),
  }));
  if (value && !properties.some(({ key }) => key === value))
    data.push({ group: 'Further facts', items: [{ value, label: value }] });
  return (
    <Select
      label={label}
      placeholder="Choose a property"
      data={data}
      value={value || null}
      onChange={(key) => key && onChange(key)}
      searchable
      nothingFoundMessage="None is called so."
      maxDropdownHeight={320}
    />
  );
}

type TestFieldsProps = {
  test: Test;
  property: Property;
  isOnly: boolean;
  takesVariables: boolean;
  /** Whether the other tests leave room for it. */
  canBe(choice: Choice): boolean;
  onChange(test: Test | undefined): void;
};

function TestFields({ test, property, isOnly, takesVariables, canBe, onChange }: TestFieldsProps) {
  const choice = choiceOf(test, property.type);
  const offered = choicesFor(property.type).filter(canBe);
  const variable = test.kind === 'compare' && test.operands.find((operand) => 'variable' in operand);
  const takesVariable = takesVariables && test.kind === 'compare' && choice !== 'yes' && choice !== 'no';
  const toggleVariable = () => {
    if (test.kind !== 'compare') return;
    const operands = variable ? [] : [{ variable: { name: property.key, on_absent_drop: true } }];
    onChange({ ...test, operands });
  };
  return (
    <Group gap="xs" align="flex-start" wrap="wrap">
      <Select
        aria-label="How"
        data={[...new Set([...offered, choice])].map((value) => ({ value, label: choiceWords[value] }))}
        value={choice}
        onChange={(next) => next && onChange(withChoice(next as Choice, test))}
        w={140}
      />
      <div style={{ flex: '1 1 180px', minWidth: 0 }}>
        {variable && test.kind === 'compare' ? (
          <VariableFields
            operand={variable}
            onChange={(next) =>
              onChange({ ...test, operands: test.operands.map((one) => (one === variable ? next : one)) })
            }
          />
        ) : (
          <ValueFields test={test} choice={choice} property={property} onChange={onChange} />
        )}
      </div>
      {takesVariable && (
        <Tooltip label={variable ? 'A fixed value' : 'A value that the request gives'}>
          <ActionIcon
            variant={variable ? 'light' : 'default'}
            size={34}
            onClick={toggleVariable}
            aria-label="A value that the request gives"
            aria-pressed={Boolean(variable)}
          >
            <VariableIcon size={15} />
          </ActionIcon>
        </Tooltip>
      )}
      {!isOnly && (
        <ActionIcon
          variant="default"
          size={34}
          onClick={() => onChange(undefined)}
          aria-label="Take this out"
        >
          <X size={15} />
        </ActionIcon>
      )}
    </Group>
  );
}
