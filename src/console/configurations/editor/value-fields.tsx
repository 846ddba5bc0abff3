import { Group, MultiSelect, NumberInput, Select, Text } from '@mantine/core';
import { relativeMoment } from '../../../formats/conditions.ts';
import { type Operand, readScalar, type Scalar, type Test, type Variable } from '../../grammar/document.ts';
import type { Property } from '../../grammar/properties.ts';
import { useValueCounts, ValuePicker } from '../../grammar/value-picker.tsx';
import { deeds, timeUnits } from '../../grammar/words.ts';
import { CheckField, CountField, TextField } from '../../kit/fields.tsx';
import { formatNumber } from '../../kit/format.ts';
import { Hint } from '../../kit/page.tsx';
import { t } from '../../texts/texts.ts';
import type { Choice } from './choices.ts';

type ValueFieldsProps = { test: Test; choice: Choice; property: Property; onChange(test: Test): void };

/** Inputs for the values of a test, by its operator and the type of its property. */
export function ValueFields({ test, choice, property, onChange }: ValueFieldsProps) {
  if (choice === 'yes' || choice === 'no') return null;
  if (test.kind === 'range') return <RangeFields test={test} property={property} onChange={onChange} />;
  if (test.kind === 'date_range') {
    const Fields = choice === 'dates' ? DateFields : AgeFields;
    return <Fields test={test} onChange={onChange} />;
  }
  const setValues = (values: Scalar[]) =>
    onChange({ ...test, operands: values.map((value): Operand => ({ value })) });
  const values = test.operands.flatMap((operand) => ('value' in operand ? [operand.value] : []));
  if (['any', 'none', 'all'].includes(choice) || values.length > 1)
    return <ValuePicker property={property} values={values} onChange={setValues} />;
  const [value] = values;
  if (property.type === 'number')
    return (
      <>
        <NumberField label={t('Value')} value={value} onChange={(next) => setValues([next])} />
        <Extent property={property} />
      </>
    );
  return (
    <TextField
      aria-label={t('Value')}
      placeholder={property.type === 'datetime' ? t('2026-11-20 or now-72h') : t('Text')}
      value={value === undefined ? '' : String(value)}
      onChange={(typed) => setValues(typed ? [typed] : [])}
    />
  );
}

type NumberFieldProps = { label: string; value?: Scalar; onChange(value: number): void };

function NumberField({ label, value, onChange }: NumberFieldProps) {
  const number = typeof value === 'number' ? value : '';
  return <CountField aria-label={label} allowDecimal value={number} onChange={onChange} />;
}

/** Smallest and largest value in the catalogue. */
function Extent({ property }: { property: Property }) {
  const { data } = useValueCounts(property.key, '');
  if (data?.minimum === undefined || data.maximum === undefined) return null;
  return (
    <Hint className="numbers" mt={2}>
      {t('Catalogue: {minimum} to {maximum}', {
        minimum: formatNumber(data.minimum),
        maximum: formatNumber(data.maximum),
      })}
    </Hint>
  );
}

type RangeFieldsProps = { test: Test & { kind: 'range' }; property: Property; onChange(test: Test): void };

function RangeFields({ test, property, onChange }: RangeFieldsProps) {
  return (
    <>
      <Group gap="xs" wrap="nowrap">
        <NumberField label={t('From')} value={test.min} onChange={(min) => onChange({ ...test, min })} />
        <Text size="sm">{t('to')}</Text>
        <NumberField label={t('To')} value={test.max} onChange={(max) => onChange({ ...test, max })} />
      </Group>
      <Extent property={property} />
    </>
  );
}

type DateTestProps = { test: Test & { kind: 'date_range' }; onChange(test: Test): void };

const units = Object.entries(timeUnits).map(([value, one]) => ({ value, label: t(`${one}s`) }));

/** An age relative to the request. */
function AgeFields({ test, onChange }: DateTestProps) {
  const end = test.min ? 'min' : 'max';
  const [, count = '7', unit = 'd'] = relativeMoment.exec(test[end] ?? '') ?? [];
  const set = (nextCount: number | string, nextUnit: string) =>
    onChange({
      kind: 'date_range',
      [end]: `now-${Math.max(1, Math.round(Number(nextCount) || 1))}${nextUnit}`,
    });
  return (
    <Group gap="xs" wrap="nowrap">
      <CountField
        aria-label={t('Count')}
        min={1}
        value={Number(count)}
        onChange={(next) => set(next, unit)}
        w={90}
      />
      <Select
        aria-label={t('Unit')}
        data={units}
        value={unit}
        onChange={(next) => set(count, next ?? 'd')}
        w={110}
      />
    </Group>
  );
}

function DateFields({ test, onChange }: DateTestProps) {
  const field = (end: 'min' | 'max', label: string) => (
    <TextField
      aria-label={label}
      placeholder={t('{label}: 2026-11-20 or now-72h', { label })}
      value={test[end] ?? ''}
      onChange={(text) => onChange({ ...test, [end]: text || undefined })}
    />
  );
  return (
    <Group gap="xs" grow>
      {field('min', t('From'))}
      {field('max', t('Until'))}
    </Group>
  );
}

/** Keeps an unfinished number, such as `0.`, as text until the field loses focus. */
function readTyped(text: string): Scalar {
  const value = readScalar(text);
  return String(value) === text ? value : text;
}

type HistoryFieldsProps = { variable: Variable; change(changes: Partial<Variable>): void };

/** Which events of the visitor’s history count. */
function HistoryFields({ variable: { events = [], days, disliked }, change }: HistoryFieldsProps) {
  const known = Array.from(deeds, ([value, label]) => ({ value, label: t(label) }));
  const others = events.filter((event) => !deeds.has(event));
  return (
    <>
      <MultiSelect
        aria-label={t('Events')}
        placeholder={events.length === 0 ? t('any event') : undefined}
        data={[...known, ...others]}
        value={events}
        disabled={disliked}
        onChange={(next) => change({ events: next.length > 0 ? next : undefined })}
        flex="1 1 160px"
      />
      <NumberInput
        aria-label={t('Days')}
        placeholder={t('all')}
        suffix={` ${t('days')}`}
        min={1}
        max={3650}
        value={days ?? ''}
        onChange={(next) => change({ days: typeof next === 'number' ? next : undefined })}
        w={110}
      />
      <CheckField
        label={t('Disliked')}
        checked={disliked ?? false}
        onChange={(isOn) => change({ disliked: isOn || undefined, events: undefined })}
      />
    </>
  );
}

type VariableFieldsProps = { variable: Variable; onChange(operand: Operand): void };

/** A value from the request, the item on the page, or the visitor’s history. */
export function VariableFields({ variable, onChange }: VariableFieldsProps) {
  const change = (changes: Partial<Variable>) => {
    const entries = Object.entries({ ...variable, ...changes }).filter(
      ([, value]) => value !== undefined && value !== '',
    );
    onChange({ variable: Object.fromEntries(entries) as Variable });
  };
  return (
    <Group gap="xs" align="center">
      <Select
        aria-label={t('Source of the value')}
        data={[
          { value: 'request_body', label: t('Request') },
          { value: 'item', label: t('Page item') },
          { value: 'history', label: t('History') },
        ]}
        value={variable.context ?? 'request_body'}
        onChange={(context) =>
          change({
            context: context === 'request_body' ? undefined : (context as Variable['context']),
            events: context === 'history' ? ['purchase'] : undefined,
            days: context === 'history' ? 90 : undefined,
            disliked: undefined,
          })
        }
        w={130}
      />
      {variable.context === 'history' && <HistoryFields variable={variable} change={change} />}
      <TextField
        aria-label={t('Field name')}
        value={variable.name}
        onChange={(name) => change({ name })}
        flex="1 1 110px"
      />
      <TextField
        aria-label={t('Default value')}
        placeholder={t('default')}
        value={variable.default === undefined ? '' : String(variable.default)}
        disabled={variable.on_absent_drop}
        onChange={(text) => change({ default: readTyped(text) })}
        onBlur={(event) => {
          const value = readScalar(event.currentTarget.value);
          if (variable.default !== undefined && value !== variable.default) change({ default: value });
        }}
        w={100}
      />
      <CheckField
        label={t('Ignore the rule if the value is missing')}
        checked={variable.on_absent_drop ?? false}
        onChange={(isOn) => change({ on_absent_drop: isOn || undefined })}
        size="xs"
      />
    </Group>
  );
}
