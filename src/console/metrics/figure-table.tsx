import { Paper, Table, Text } from '@mantine/core';
import { seriesColorVariable } from '../kit/colors.ts';
import type { Chart } from './series.ts';

type FigureTableProps = { chart: Chart; isRate?: [string, string] };

/** The lines as numbers: over the whole time, and the highest and lowest step. */
export function FigureTable({ chart, isRate }: FigureTableProps) {
  const lines = chart.series.filter(({ isDashed }) => !isDashed);
  return (
    <Paper style={{ overflow: 'hidden' }}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Line</Table.Th>
            <Table.Th ta="end">{isRate ? 'Over the whole time' : 'Sum'}</Table.Th>
            <Table.Th ta="end">Highest step</Table.Th>
            <Table.Th ta="end" visibleFrom="sm">
              Lowest step
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {lines.map(({ label, values }, place) => {
            const known = values.filter((value) => value !== null);
            return (
              <Table.Tr key={label}>
                <Table.Td>
                  <span
                    style={{
                      display: 'inline-block',
                      width: 9,
                      height: 9,
                      marginInlineEnd: 8,
                      borderRadius: 2,
                      background: seriesColorVariable(place),
                    }}
                  />
                  <Text span size="sm" style={{ overflowWrap: 'anywhere' }}>
                    <bdi>{label}</bdi>
                  </Text>
                </Table.Td>
                <Table.Td ta="end" className="numbers">
                  {chart.format(chart.totals[place])}
                </Table.Td>
                <Table.Td ta="end" className="numbers">
                  {known.length > 0 ? chart.format(Math.max(...known)) : '–'}
                </Table.Td>
                <Table.Td ta="end" className="numbers" visibleFrom="sm">
                  {known.length > 0 ? chart.format(Math.min(...known)) : '–'}
                </Table.Td>
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}
