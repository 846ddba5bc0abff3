import { Alert, Badge, Group, Paper, Stack, Text, Title } from '@mantine/core';
import type { SearchExplanation } from '../../../gen/es/personalisation/v1/search_service_pb.js';
import { formatShare } from '../kit/format.ts';
import { kindWords, text } from './text.ts';

/** Corrections, dropped words, and what may stand for each word. */
export function Understanding({ explanation }: { explanation: SearchExplanation }) {
  const { words, corrections, droppedWords, queryUsed } = explanation;
  return (
    <Paper p="md" component="section" aria-label={text.understood}>
      <Title order={2} mb="xs">
        {text.understood}
      </Title>
      {corrections.length > 0 && (
        <Alert color="blue" variant="light" mb="sm" py="xs">
          Searched for “<bdi>{queryUsed}</bdi>”:{' '}
          {corrections.map(({ from, to }) => `${from} → ${to}`).join(', ')}
        </Alert>
      )}
      {droppedWords.length > 0 && (
        <Alert color="orange" variant="light" mb="sm" py="xs">
          Nothing in the catalogue stands for {droppedWords.map((word) => `“${word}”`).join(', ')}.
        </Alert>
      )}
      <Stack gap={6}>
        {words.map(({ word, alternatives }) => (
          <Group key={word} gap={6}>
            <Text size="sm" fw={600} miw={80}>
              <bdi>{word}</bdi>
            </Text>
            {alternatives.map(({ kind, text: stands, weight }) => (
              <Badge key={kind + stands} variant="light" color={kind === 'word' ? 'gray' : 'ink'} tt="none">
                <bdi>{stands}</bdi> · {kindWords[kind] ?? kind}
                {weight < 1 && ` · ${formatShare(weight)}`}
              </Badge>
            ))}
          </Group>
        ))}
      </Stack>
    </Paper>
  );
}
