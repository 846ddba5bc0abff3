import { Button, Paper, Table } from '@mantine/core';
import { type LucideIcon, Plus } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Empty } from './empty.tsx';
import { ErrorNotice } from './error-notice.tsx';
import { MoreButton, type Pages } from './more-button.tsx';
import { PageFrame, PageSkeleton } from './page.tsx';

type ResourceListProps<Resource> = {
  text: Record<'title' | 'lead' | 'create' | 'none' | 'noneLead' | 'more', string>;
  icon: LucideIcon;
  /** Where another one is made. */
  createPath: string;
  pages: Pages & { error: Error | null; refetch(): unknown };
  /** Undefined until they have come. */
  resources: readonly Resource[] | undefined;
  /** Cells of the table's head. */
  head: ReactNode;
  rowOf(resource: Resource): ReactNode;
  /** Stands above the table. */
  children?: ReactNode;
};

/** A page of things that were made one by one, newest first, and the way to another one. */
export function ResourceList<Resource>(props: ResourceListProps<Resource>) {
  const { text, icon, createPath, pages, resources, head, rowOf, children } = props;
  if (pages.error) return <ErrorNotice error={pages.error} onRetry={pages.refetch} />;
  if (!resources) return <PageSkeleton />;
  const create = (
    <Button component={Link} href={createPath} leftSection={<Plus size={15} aria-hidden />}>
      {text.create}
    </Button>
  );
  return (
    <PageFrame title={text.title} lead={text.lead} actions={create}>
      {children}
      <Paper style={{ overflow: 'hidden' }}>
        {resources.length === 0 ? (
          <Empty icon={icon} title={text.none}>
            {text.noneLead}
          </Empty>
        ) : (
          <Table highlightOnHover>
            <Table.Thead>
              <Table.Tr>{head}</Table.Tr>
            </Table.Thead>
            <Table.Tbody>{resources.map(rowOf)}</Table.Tbody>
          </Table>
        )}
      </Paper>
      <MoreButton pages={pages} label={text.more} />
    </PageFrame>
  );
}
