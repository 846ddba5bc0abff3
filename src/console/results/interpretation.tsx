import { Alert, Badge, Group, Stack, Text } from '@mantine/core';
import type { SearchExplanation } from '../../../gen/es/personalisation/v1/search_service_pb.js';
import { formatShare } from '../kit/format.ts';
import { Section } from '../kit/page.tsx';

const kinds: Record<string, string> = {
  word: 'as typed',
  synonym: 'synonym',
  joined: 'written as one word',
  split: 'written as two words',
  compound: 'end of a compound',
  apart: 'part of a compound',
  code: 'start of a code',
  near: 'similar amount',
};

export const kindWords = (kind: string): string => kinds[kind] ?? kind;

/** Corrections, ignored words, and the alternatives of each word. */
export function Interpretation({ explanation }: { explanation: SearchExplanation }) {
  const { words, corrections, droppedWords, queryUsed } = explanation;
  return (
    <Section title="Query interpretation">
      {corrections.length > 0 && (
        <Alert color="blue" mb="sm" py="xs">
          Searched for “<bdi>{queryUsed}</bdi>”:{' '}
          {corrections.map(({ from, to }) => `${from} → ${to}`).join(', ')}
        </Alert>
      )}
      {droppedWords.length > 0 && (
        <Alert color="orange" mb="sm" py="xs">
          Not in the catalogue, ignored: {droppedWords.map((word) => `“${word}”`).join(', ')}.
        </Alert>
      )}
      <Stack gap={6}>
        {words.map(({ word, alternatives }) => (
          <Group key={word} gap={6}>
            <Text size="sm" fw={600} miw={80}>
              <bdi>{word}</bdi>
            </Text>
            {alternatives.map(({ kind, text, weight }) => (
              <Badge key={kind + text} color={kind === 'word' ? 'gray' : 'ink'}>
                <bdi>{text}</bdi> · {kindWords(kind)}
                {weight < 1 && ` · ${formatShare(weight)}`}
              </Badge>
            ))}
          </Group>
        ))}
      </Stack>
    </Section>
  );
}
