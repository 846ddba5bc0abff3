import { Checkbox, Group, Select, TextInput } from '@mantine/core';
import { type Operand, readScalar, type Variable } from '../../grammar/document.ts';

type VariableFieldsProps = { operand: Operand; onChange(operand: Operand): void };

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
        onChange={(event) => change({ default: readScalar(event.currentTarget.value) })}
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
