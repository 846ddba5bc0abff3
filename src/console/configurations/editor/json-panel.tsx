import { Box, Stack, Text } from '@mantine/core';
import { JsonField } from '../../kit/json-field.tsx';
import type { Draft } from './use-draft.ts';
import type { Findings } from './use-findings.ts';

/** The document as it is stored, and what is wrong with it by pointer. */
export function JsonPanel({ draft, findings }: { draft: Draft; findings: Findings }) {
  return (
    <Stack gap="sm">
      <JsonField
        aria-label="JSON of the configuration"
        minRows={18}
        value={draft.text}
        error={draft.fault}
        onChange={(event) => draft.setText(event.currentTarget.value)}
      />
      {findings.all.map(({ pointer, detail }) => (
        <Box key={pointer + detail}>
          <Text size="xs" component="code">
            {pointer}
          </Text>
          <Text size="sm">{detail}</Text>
        </Box>
      ))}
    </Stack>
  );
}
