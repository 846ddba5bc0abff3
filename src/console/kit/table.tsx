import type { DescMessage, DescMethodUnary, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { Button, Group, Paper, SimpleGrid, Table, type TableProps, Text } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import { Link } from 'wouter';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';
import { formatAgo, formatMoment, momentOf } from './format.ts';
import { type Icon, Plus } from './icons.ts';
import { Empty, ErrorNotice, Loading, PageFrame, Unread } from './page.tsx';
import { usePages } from './queries.ts';

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
  <Paper component="section" style={{ overflow: 'auto hidden' }} {...props} />
);

/** Age of a moment, with the moment itself as a tooltip. */
export function Ago({ time }: { time: Date | Timestamp | undefined }) {
  const moment = time instanceof Date ? time : momentOf(time);
  if (!moment) return null;
  return (
    <span title={formatMoment(moment)} style={{ whiteSpace: 'nowrap' }}>
      {formatAgo(moment)}
    </span>
  );
}

export type Pages = { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage(): unknown };

/** Loads the next page of a list; hidden after the last one. */
export function MoreButton({ pages }: { pages: Pages }) {
  if (!pages.hasNextPage) return null;
  return (
    <Group justify="center" mt="md">
      <Button loading={pages.isFetchingNextPage} onClick={() => pages.fetchNextPage()}>
        {t('Load more')}
      </Button>
    </Group>
  );
}

export type PagedTableProps<Row> = Omit<DataTableProps<Row>, 'rows'> & {
  pages: Pages & { rows: readonly Row[] | undefined; error: Error | null; refetch(): unknown };
  /** In place of a table without rows. */
  empty: ReactNode;
};

/** Table of the pages that have been read, or why there is none. */
export function PagedTable<Row>({ pages, empty, ...table }: PagedTableProps<Row>) {
  const { rows, error, refetch } = pages;
  return (
    <>
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {!rows && !error && <Loading h={240} />}
      {rows && <TablePaper>{rows.length > 0 ? <DataTable {...table} rows={rows} /> : empty}</TablePaper>}
      <MoreButton pages={pages} />
    </>
  );
}

type ResourceListProps<Input extends DescMessage, Output extends DescMessage, Row> = {
  text: Record<'title' | 'lead' | 'none' | 'noneLead', string> & { create?: string };
  icon: Icon;
  /** Page that creates another one; absent without the right, or with `actions`. */
  createPath?: string;
  /** Buttons in place of the link to that page. */
  actions?: ReactNode;
  /** Lists the environment's resources, page by page. */
  method: DescMethodUnary<Input, Output>;
  rowsOf(page: MessageShape<Output>): Row[];
  refreshMs?(rows: readonly Row[]): number | false;
  columns: readonly Column<Row>[];
  keyOf(row: Row): string;
  /** Content above the table. */
  children?: ReactNode;
};

/** Page that lists resources, newest first, with a button to create one. */
export function ResourceList<Input extends DescMessage, Output extends DescMessage, Row>(
  props: ResourceListProps<Input, Output, Row>,
) {
  const { text, icon, createPath, method, rowsOf, refreshMs, columns, keyOf, children } = props;
  const { pathTo } = useConsole();
  const request: object = { pageSize: rowsPerPage };
  const pages = usePages(method, request as MessageInitShape<Input>, rowsOf, { refreshMs });
  if (pages.error || !pages.rows) return <Unread error={pages.error} onRetry={pages.refetch} />;
  const create = createPath !== undefined && (
    <Button
      variant="filled"
      component={Link}
      href={pathTo(createPath)}
      leftSection={<Plus size={15} />}
      data-create
    >
      {text.create}
    </Button>
  );
  return (
    <PageFrame title={text.title} lead={text.lead} actions={props.actions ?? create}>
      {children}
      <PagedTable
        highlightOnHover
        {...{ pages, columns, keyOf }}
        empty={
          <Empty icon={icon} title={text.none}>
            {text.noneLead}
          </Empty>
        }
      />
    </PageFrame>
  );
}

const rowsPerPage = 50;

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
