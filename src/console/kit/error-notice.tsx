import { Code, ConnectError } from '@connectrpc/connect';
import { Alert, Button, Group, Text } from '@mantine/core';
import { RotateCw, TriangleAlert } from 'lucide-react';
import { violationsOf } from './violations.ts';

const advice: Partial<Record<Code, string>> = {
  [Code.PermissionDenied]: 'The signed-in client lacks a scope. Sign in with one that has it.',
  [Code.Unavailable]: 'The service cannot be reached, or is starting. Try again in a moment.',
  [Code.ResourceExhausted]: 'The service is busy. Try again in a moment.',
  [Code.Unknown]: 'The service cannot be reached. Check that it runs, then try again.',
};

/** Pixels: as wide as what stands on a page that keeps its lines readable. */
const mostWidth = 1_176;

/** What failed, and what to do about it. */
export function ErrorNotice({ error, onRetry }: { error: Error; onRetry?(): void }) {
  const { code, rawMessage } = ConnectError.from(error);
  const violations = violationsOf(error);
  return (
    <Alert
      color="red"
      variant="light"
      my="md"
      mx="auto"
      w="calc(100% - 2 * var(--mantine-spacing-md))"
      maw={mostWidth}
      role="alert"
      icon={<TriangleAlert size={18} aria-hidden />}
      title={rawMessage}
    >
      {violations.length > 1 && (
        <ul>
          {violations.map(({ pointer, detail }) => (
            <li key={pointer + detail}>
              <code>{pointer}</code> {detail}
            </li>
          ))}
        </ul>
      )}
      <Group justify="space-between">
        <Text size="sm">{advice[code] ?? ''}</Text>
        {onRetry && (
          <Button
            variant="default"
            size="xs"
            leftSection={<RotateCw size={14} aria-hidden />}
            onClick={() => onRetry()}
          >
            Try again
          </Button>
        )}
      </Group>
    </Alert>
  );
}
