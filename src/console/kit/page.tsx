import { Box, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

type PageFrameProps = {
  title: ReactNode;
  lead?: ReactNode;
  /** What one can do here, at the end of the heading's line. */
  actions?: ReactNode;
  /** The page takes the whole width; others keep lines readable. */
  isWide?: boolean;
  children: ReactNode;
};

/** A page's heading and what stands below it. */
export function PageFrame({ title, lead, actions, isWide, children }: PageFrameProps) {
  return (
    <Box px={{ base: 'md', sm: 'xl' }} py="lg" maw={isWide ? undefined : 1240} mx="auto">
      <Group justify="space-between" align="flex-start" mb="lg" gap="sm">
        <Box miw={0} flex="1 1 280px">
          <Title order={1}>{title}</Title>
          {lead && (
            <Text size="sm" className="quiet" mt={2}>
              {lead}
            </Text>
          )}
        </Box>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Box>
  );
}

/** Stands where a page will be, so that nothing moves when it comes. */
export function PageSkeleton() {
  return (
    <Box
      px={{ base: 'md', sm: 'xl' }}
      py="lg"
      maw={1240}
      mx="auto"
      role="status"
      aria-busy="true"
      aria-label="Loading"
    >
      <Stack gap="lg">
        <Skeleton h={26} w={180} />
        <Skeleton h={110} />
        <Skeleton h={260} />
      </Stack>
    </Box>
  );
}
