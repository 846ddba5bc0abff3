import { Group, NumberInput, Select, Text, TextInput } from '@mantine/core';
import type { Operand, Scalar, Test } from '../../grammar/document.ts';
import type { Property } from '../../grammar/properties.ts';
import { useValueCounts, ValuePicker } from '../../grammar/value-picker.tsx';
import { formatNumber } from '../../kit/format.ts';
import { type Choice, relativePattern } from './choices.ts';

type ValueFieldsProps = {
  test: Test;
  choice: Choice;
  property: Property;
  onChange(test: Test): void;
};

/** The values of a test, as its property has them. */
export function ValueFields({ test, choice, property, onChange }: ValueFieldsProps) {
  if (choice === 'yes' || choice === 'no') return null;
  if (test.kind === 'range') return <RangeFields test={test} property={property} onChange={onChange} />;
  if (test.kind === 'date_range') {
    return choice === 'dates' ? (
      <DateFields test={test} onChange={onChange} />
    ) : (
      <AgeFields test={test} choice={choice} onChange={onChange} />
    );
  }
  const setValues = (values: Scalar[]) =>
    onChange({ ...test, operands: values.map((value): Operand => ({ value })) });
  const values = test.operands.flatMap((operand) => ('value' in operand ? [operand.value] : []));
  if (['any', 'none', 'all'].includes(choice) || values.length > 1)
    return <ValuePicker property={property} values={values} onChange={setValues} />;
  if (property.type === 'number')
    return <NumberField property={property} value={values[0]} onChange={(value) => setValues([value])} />;
  return (
    <TextInput
      aria-label="Value"
      placeholder={property.type === 'datetime' ? '2026-11-20 or now-72h' : 'Text'}
      value={values[0] === undefined ? '' : String(values[0])}
      onChange={(event) => setValues(event.currentTarget.value ? [event.currentTarget.value] : [])}
    />
  );
}

type NumberFieldProps = { property: Property; value?: Scalar; onChange(value: number): void };

function NumberField({ property, value, onChange }: NumberFieldProps) {
  return (
    <>
      <NumberInput
        aria-label="Value"
        value={typeof value === 'number' ? value : ''}
        onChange={(next) => typeof next === 'number' && onChange(next)}
      />
      <Extent property={property} />
    </>
  );
}

/** Between which numbers the catalogue has the property. */
function Extent({ property }: { property: Property }) {
  const { data } = useValueCounts(property.key, '');
  if (data?.minimum === undefined || data.maximum === undefined) return null;
  return (
    <Text size="xs" className="quiet numbers" mt={2}>
      The catalogue has {formatNumber(data.minimum)} to {formatNumber(data.maximum)}.
    </Text>
  );
}

type RangeFieldsProps = { test: Test & { kind: 'range' }; property: Property; onChange(test: Test): void };

function RangeFields({ test, property, onChange }: RangeFieldsProps) {
  return (
    <>
      <Group gap="xs" wrap="nowrap">
        <NumberInput
          aria-label="From"
          value={test.min}
          onChange={(min) => typeof min === 'number' && onChange({ ...test, min })}
        />
        <Text size="sm">to</Text>
        <NumberInput
          aria-label="To"
          value={test.max}
          onChange={(max) => typeof max === 'number' && onChange({ ...test, max })}
        />
      </Group>
      <Extent property={property} />
    </>
  );
}

type DateTest = Test & { kind: 'date_range' };

const unitWords = [
  { value: 'm', label: 'minutes' },
  { value: 'h', label: 'hours' },
  { value: 'd', label: 'days' },
  { value: 'w', label: 'weeks' },
];

/** Relative to the moment of the request. */
function AgeFields({
  test,
  choice,
  onChange,
}: {
  test: DateTest;
  choice: Choice;
  onChange(test: Test): void;
}) {
  const end = choice === 'within' ? 'min' : 'max';
  const [, count = '7', unit = 'd'] = relativePattern.exec(test[end] ?? '') ?? [];
  const set = (nextCount: number | string, nextUnit: string) =>
    onChange({
      kind: 'date_range',
      [end]: `now-${Math.max(1, Math.round(Number(nextCount) || 1))}${nextUnit}`,
    });
  return (
    <Group gap="xs" wrap="nowrap">
      <NumberInput
        aria-label="How many"
        min={1}
        value={Number(count)}
        onChange={(next) => typeof next === 'number' && set(next, unit)}
        w={90}
      />
      <Select
        aria-label="Unit"
        data={unitWords}
        value={unit}
        onChange={(next) => set(count, next ?? 'd')}
        w={110}
      />
    </Group>
  );
}

function DateFields({ test, onChange }: { test: DateTest; onChange(test: Test): void }) {
  const field = (end: 'min' | 'max', label: string) => (
    <TextInput
      aria-label={label}
      placeholder={`${label}: 2026-11-20 or now-72h`}
      value={test[end] ?? ''}
      onChange={(event) => onChange({ ...test, [end]: event.currentTarget.value || undefined })}
    />
  );
  return (
    <Group gap="xs" grow>
      {field('min', 'From')}
      {field('max', 'Until')}
    </Group>
  );
}
