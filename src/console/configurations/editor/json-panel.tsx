import { Box, Stack, Text, Textarea } from '@mantine/core';
import classes from './editor.module.css';
import type { Draft } from './use-draft.ts';
import type { Findings } from './use-findings.ts';

/** The document as it is stored, and what is wrong with it by pointer. */
export function JsonPanel({ draft, findings }: { draft: Draft; findings: Findings }) {
  return (
    <Stack gap="sm">
      <Textarea
        aria-label="JSON of the configuration"
        autosize
        minRows={18}
        spellCheck={false}
        value={draft.text}
        error={draft.fault}
        classNames={{ input: classes.json }}
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
