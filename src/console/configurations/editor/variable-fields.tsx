import { Checkbox, Group, Select, TextInput } from '@mantine/core';
import { type Operand, readScalar, type Scalar, type Variable } from '../../grammar/document.ts';

type VariableFieldsProps = { operand: Operand; onChange(operand: Operand): void };

/** What is on its way to a number, as `0.` is, stays as it was typed until one leaves the field. */
function readTyped(text: string): Scalar {
  const value = readScalar(text);
  return String(value) === text ? value : text;
}

/** A value that comes with the request, or from the item on display. */
export function VariableFields({ operand, onChange }: VariableFieldsProps) {
  if (!('variable' in operand)) return null;
  const { variable } = operand;
  const change = (changes: Partial<Variable>) => {
    const next = { ...variable, ...changes };
    const entries = Object.entries(next).filter(([, value]) => value !== undefined && value !== '');
    onChange({ variable: Object.fromEntries(entries) as Variable });
  };
  return (
    <Group gap="xs" align="center">
      <Select
        aria-label="Where the value comes from"
        data={[
          { value: 'request_body', label: 'the request’s' },
          { value: 'item', label: 'the page item’s' },
        ]}
        value={variable.context ?? 'request_body'}
        onChange={(context) => change({ context: context === 'item' ? 'item' : undefined })}
        w={130}
      />
      <TextInput
        aria-label="Name of the field"
        value={variable.name}
        onChange={(event) => change({ name: event.currentTarget.value })}
        flex="1 1 110px"
      />
      <TextInput
        aria-label="If it is absent"
        placeholder="else …"
        value={variable.default === undefined ? '' : String(variable.default)}
        disabled={variable.on_absent_drop}
        onChange={(event) => change({ default: readTyped(event.currentTarget.value) })}
        onBlur={(event) => {
          const value = readScalar(event.currentTarget.value);
          if (variable.default !== undefined && value !== variable.default) change({ default: value });
        }}
        w={100}
      />
      <Checkbox
        label="Ignore the rule if it is absent"
        checked={variable.on_absent_drop ?? false}
        onChange={(event) => change({ on_absent_drop: event.currentTarget.checked || undefined })}
        size="xs"
      />
    </Group>
  );
}
