import { Stack, Text } from '@mantine/core';
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

type EmptyProps = { icon: LucideIcon; title: string; children?: ReactNode };

/** Says why there is nothing, and what makes something appear. */
export function Empty({ icon: Icon, title, children }: EmptyProps) {
  return (
    <Stack align="center" gap={6} py={48} px="md" ta="center">
      <Icon size={28} strokeWidth={1.5} className="quiet" aria-hidden />
      <Text fw={600}>{title}</Text>
      {children && (
        <Text size="sm" className="quiet" maw={440} component="div">
          {children}
        </Text>
      )}
    </Stack>
  );
}
