import { Select, Text } from '@mantine/core';
import type { Column, TargetField } from '../../../formats/records/mapping/propose.ts';
import { Hint } from '../../kit/page.tsx';
import { DataTable, TablePaper } from '../../kit/table.tsx';
import { t } from '../../texts/texts.ts';

const samplesShown = 4;

type ColumnTableProps = {
  columns: readonly Column[];
  targets: readonly TargetField[];
  chosen: ReadonlyMap<string, string>;
  onChoose(column: string, field: string): void;
};

/** Columns of the file with examples, and the field that each maps to. */
export function ColumnTable({ columns, targets, chosen, onChoose }: ColumnTableProps) {
  const data = [{ value: '', label: t('Ignore') }, ...targets.map(({ name }) => name)];
  return (
    <TablePaper aria-label={t('Columns')}>
      <DataTable
        layout="fixed"
        rows={columns.filter(({ name }) => name !== '')}
        keyOf={({ name }) => name}
        columns={[
          {
            label: t('Column'),
            cell: ({ name, samples }) => (
              <>
                <Text size="sm" fw={500}>
                  <bdi>{name}</bdi>
                </Text>
                <Hint className="clamp-2" hiddenFrom="sm">
                  <bdi>{samples[0]}</bdi>
                </Hint>
              </>
            ),
          },
          {
            label: t('Examples'),
            from: 'sm',
            width: '45%',
            cell: ({ samples }) => (
              <Hint className="clamp-2">
                <bdi>{samples.slice(0, samplesShown).join(' · ')}</bdi>
              </Hint>
            ),
          },
          {
            label: t('Maps to'),
            cell: ({ name }) => (
              <Select
                size="xs"
                aria-label={t('Maps to: {name}', { name })}
                data={data}
                value={chosen.get(name) ?? ''}
                onChange={(field) => onChoose(name, field ?? '')}
                searchable
              />
            ),
          },
        ]}
      />
    </TablePaper>
  );
}
