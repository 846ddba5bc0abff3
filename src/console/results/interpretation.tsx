import { Alert, Badge, Group, Stack, Text } from '@mantine/core';
import type { SearchExplanation } from '../../../gen/es/personalisation/v1/search_service_pb.js';
import { formatShare } from '../kit/format.ts';
import { Section } from '../kit/page.tsx';
import { rich } from '../texts/rich-text.ts';
import { t } from '../texts/texts.ts';

const kinds: Record<string, string> = {
  word: t('as typed'),
  synonym: t('synonym'),
  joined: t('written as one word'),
  split: t('written as two words'),
  compound: t('end of a compound'),
  apart: t('part of a compound'),
  code: t('start of a code'),
  near: t('similar amount'),
};

export const kindWords = (kind: string): string => kinds[kind] ?? kind;

/** Corrections, ignored words, and the alternatives of each word. */
export function Interpretation({ explanation }: { explanation: SearchExplanation }) {
  const { words, corrections, droppedWords, queryUsed } = explanation;
  return (
    <Section title={t('Query interpretation')}>
      {corrections.length > 0 && (
        <Alert color="blue" mb="sm" py="xs">
          {rich('Searched for “{query}”: {corrections}', {
            query: <bdi>{queryUsed}</bdi>,
            corrections: corrections.map(({ from, to }) => `${from} → ${to}`).join(', '),
          })}
        </Alert>
      )}
      {droppedWords.length > 0 && (
        <Alert color="orange" mb="sm" py="xs">
          {t('Not in the catalogue, ignored: {words}.', {
            words: droppedWords.map((word) => t('“{word}”', { word })).join(', '),
          })}
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
