import { Button, Group, Paper, SimpleGrid, Table, type TableProps, Text } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import { Link } from 'wouter';
import { t } from '../texts/texts.ts';
import { formatAgo, formatMoment } from './format.ts';
import { type Icon, Plus } from './icons.ts';
import { Empty, ErrorNotice, PageFrame, PageSkeleton } from './page.tsx';

export type Column<Row> = {
  label: string;
  /** Below the label, such as the scale of a chart. */
  note?: ReactNode;
  cell(row: Row, index: number): ReactNode;
  /** Right-aligned, with digits of equal width. */
  isNumber?: boolean;
  /** Right-aligned buttons; screen readers alone read the label. */
  isActions?: boolean;
  isQuiet?: boolean;
  /** Narrower windows omit the column. */
  from?: 'sm' | 'md';
  width?: string | number;
};

type DataTableProps<Row> = Omit<TableProps, 'data'> & {
  columns: readonly (Column<Row> | false)[];
  rows: readonly Row[];
  keyOf(row: Row, index: number): string | number;
  /** Marks the row that another part of the page shows. */
  isSelected?(row: Row): boolean;
  /** Row below an opened one. */
  detailsOf?(row: Row): ReactNode;
};

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { columns: given, rows, keyOf, isSelected, detailsOf, ...rest } = props;
  const columns = given.filter((column) => column !== false);
  /** Columns of numbers leave the words of the first column whole. */
  const firstWidth = columns.some(({ isNumber }) => isNumber) ? 'min(9rem, 32vw)' : undefined;
  const styleOf = (column: Column<Row>) =>
    ({
      ta: column.isNumber || column.isActions ? 'end' : undefined,
      visibleFrom: column.from,
      miw: column === columns[0] ? firstWidth : undefined,
    }) as const;
  return (
    <Table aria-label={columns[0]?.label} {...rest}>
      <Table.Thead>
        <Table.Tr>
          {columns.map((column) => (
            <Table.Th key={column.label} {...styleOf(column)} w={column.width}>
              {column.isActions ? <span className="visually-hidden">{column.label}</span> : column.label}
              {column.note}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row, index) => {
          const details = detailsOf?.(row);
          return (
            <Fragment key={keyOf(row, index)}>
              <Table.Tr bg={isSelected?.(row) ? 'var(--mantine-color-ink-light)' : undefined}>
                {columns.map((column) => (
                  <Table.Td
                    key={column.label}
                    {...styleOf(column)}
                    className={`${column.isNumber ? 'numbers' : ''} ${column.isQuiet ? 'quiet' : ''}`}
                    style={{ overflowWrap: column.isNumber ? undefined : 'anywhere' }}
                  >
                    {column.cell(row, index)}
                  </Table.Td>
                ))}
              </Table.Tr>
              {details && (
                <Table.Tr>
                  <Table.Td colSpan={columns.length}>{details}</Table.Td>
                </Table.Tr>
              )}
            </Fragment>
          );
        })}
      </Table.Tbody>
    </Table>
  );
}

/** Table in a frame of its own. */
export const TablePaper = (props: { children: ReactNode; 'aria-label'?: string }) => (
  <Paper component="section" style={{ overflow: 'hidden' }} {...props} />
);

/** Age of a moment, with the moment itself as a tooltip. */
export function Ago({ time }: { time: Date | undefined }) {
  if (!time) return null;
  return (
    <span title={formatMoment(time)} style={{ whiteSpace: 'nowrap' }}>
      {formatAgo(time)}
    </span>
  );
}

export type Pages = { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage(): unknown };

/** Loads the next page of a list; hidden after the last one. */
export function MoreButton({ pages }: { pages: Pages }) {
  if (!pages.hasNextPage) return null;
  return (
    <Group justify="center" mt="md">
      <Button variant="default" loading={pages.isFetchingNextPage} onClick={() => pages.fetchNextPage()}>
        {t('Load more')}
      </Button>
    </Group>
  );
}

type ResourceListProps<Row> = {
  text: Record<'title' | 'lead' | 'none' | 'noneLead', string> & { create?: string };
  icon: Icon;
  /** Page that creates another one; absent without the right, or with `actions`. */
  createPath?: string;
  /** Buttons in place of the link to that page. */
  actions?: ReactNode;
  pages: Pages & { error: Error | null; refetch(): unknown };
  /** Undefined until loaded. */
  rows: readonly Row[] | undefined;
  columns: readonly Column<Row>[];
  keyOf(row: Row): string;
  /** Content above the table. */
  children?: ReactNode;
};

/** Page that lists resources, newest first, with a button to create one. */
export function ResourceList<Row>(props: ResourceListProps<Row>) {
  const { text, icon, createPath, pages, rows, columns, keyOf, children } = props;
  if (pages.error) return <ErrorNotice error={pages.error} onRetry={pages.refetch} />;
  if (!rows) return <PageSkeleton />;
  const create = createPath !== undefined && (
    <Button component={Link} href={createPath} leftSection={<Plus size={15} aria-hidden />} data-create>
      {text.create}
    </Button>
  );
  return (
    <PageFrame title={text.title} lead={text.lead} actions={props.actions ?? create}>
      {children}
      <TablePaper>
        {rows.length === 0 ? (
          <Empty icon={icon} title={text.none}>
            {text.noneLead}
          </Empty>
        ) : (
          <DataTable highlightOnHover columns={columns} rows={rows} keyOf={keyOf} />
        )}
      </TablePaper>
      <MoreButton pages={pages} />
    </PageFrame>
  );
}

export type FigureTile = readonly [value: string, label: string];

/** Row of figures with what they count. */
export function FigureTiles({ tiles }: { tiles: readonly FigureTile[] }) {
  return (
    <SimpleGrid cols={{ base: 2, sm: 4 }}>
      {tiles.map(([value, label]) => (
        <Paper key={label} p="md">
          <Text fz={22} fw={600} className="numbers">
            {value}
          </Text>
          <Text size="sm" className="quiet">
            {label}
          </Text>
        </Paper>
      ))}
    </SimpleGrid>
  );
}
