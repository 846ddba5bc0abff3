import { Paper, Select, Table, Text } from '@mantine/core';
import type { Column, TargetField } from '../../../formats/records/mapping/propose.ts';
import classes from './import.module.css';
import { text } from './text.ts';

const samplesShown = 4;

type ColumnTableProps = {
  columns: readonly Column[];
  targets: readonly TargetField[];
  chosen: ReadonlyMap<string, string>;
  onChoose(column: string, field: string): void;
};

/** Each column with examples, and the field that it becomes. */
export function ColumnTable({ columns, targets, chosen, onChoose }: ColumnTableProps) {
  const data = [{ value: '', label: text.leaveOut }, ...targets.map(({ name }) => name)];
  return (
    <Paper style={{ overflow: 'hidden' }} component="section" aria-label={text.columns}>
      <Table layout="fixed">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{text.column}</Table.Th>
            <Table.Th visibleFrom="sm" w="45%">
              {text.example}
            </Table.Th>
            <Table.Th>{text.field}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {columns
            .filter(({ name }) => name !== '')
            .map(({ name, samples }) => (
              <Table.Tr key={name}>
                <Table.Td>
                  <Text size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
                    <bdi>{name}</bdi>
                  </Text>
                  <Text size="xs" className={`quiet ${classes.samples}`} hiddenFrom="sm">
                    <bdi>{samples[0]}</bdi>
                  </Text>
                </Table.Td>
                <Table.Td visibleFrom="sm">
                  <Text size="xs" className={`quiet ${classes.samples}`}>
                    <bdi>{samples.slice(0, samplesShown).join(' · ')}</bdi>
                  </Text>
                </Table.Td>
                <Table.Td>
                  <Select
                    size="xs"
                    aria-label={`${text.field}: ${name}`}
                    data={data}
                    value={chosen.get(name) ?? ''}
                    onChange={(field) => onChoose(name, field ?? '')}
                    searchable
                  />
                </Table.Td>
              </Table.Tr>
            ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}
