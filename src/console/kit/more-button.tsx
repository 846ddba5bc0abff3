import { Button, Group } from '@mantine/core';

export type Pages = { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage(): unknown };

/** Asks for the next page of a list; nothing after the last one. */
export function MoreButton({ pages, label }: { pages: Pages; label: string }) {
  if (!pages.hasNextPage) return null;
  return (
    <Group justify="center" mt="md">
      <Button variant="default" loading={pages.isFetchingNextPage} onClick={() => pages.fetchNextPage()}>
        {label}
      </Button>
    </Group>
  );
}
