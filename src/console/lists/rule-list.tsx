import { Badge, Group, Stack, Text, Title } from '@mantine/core';
import { preferencesOf, rulesOf } from '../grammar/document.ts';
import { useConfigurationDocument } from '../grammar/stored-documents.ts';
import { preferenceWords, ruleWords } from '../grammar/words.ts';
import { formatCount } from '../kit/format.ts';
import type { ItemExplanation, ListExplanation } from './types.ts';

type RuleListProps = { list: ListExplanation; explanation: ItemExplanation };

/** The rules of the list, and which of them the item counts in. */
export function RuleList({ list, explanation }: RuleListProps) {
  const { data } = useConfigurationDocument(list.listName);
  const rules = data ? rulesOf(data.document) : [];
  const preferences = data ? preferencesOf(data.document) : [];
  const matched = new Map(explanation.preferences.map((one) => [one.preferenceIndex, one.weight]));
  if (list.rules.length === 0 && preferences.length === 0) return null;
  return (
    <section aria-label="Rules">
      <Title order={3} mb="xs">
        Rules
      </Title>
      <Stack gap="xs">
        {list.rules.map(({ constraintIndex, usedCount, cutCount, dropped }) => (
          <Group key={constraintIndex} justify="space-between" wrap="nowrap" align="flex-start" gap="xs">
            <div style={{ minWidth: 0 }}>
              <Text size="sm" style={{ overflowWrap: 'anywhere' }} td={dropped ? 'line-through' : undefined}>
                {rules[constraintIndex] ? ruleWords(rules[constraintIndex]) : `Rule ${constraintIndex + 1}`}
              </Text>
              <Text size="xs" className="quiet">
                {dropped
                  ? 'Ignored: the request does not give its variable.'
                  : `${formatCount(usedCount)} in the list, ${formatCount(cutCount)} kept out`}
              </Text>
            </div>
            {explanation.constraintIndexes.includes(constraintIndex) && (
              <Badge variant="light" tt="none" style={{ flexShrink: 0 }}>
                counts here
              </Badge>
            )}
          </Group>
        ))}
        {preferences.map((preference, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a preference is its place
          <Group key={place} justify="space-between" wrap="nowrap" align="flex-start" gap="xs">
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              {preferenceWords(preference)}
            </Text>
            {matched.has(place) && (
              <Badge variant="light" color="green" tt="none" style={{ flexShrink: 0 }}>
                {formatCount(matched.get(place)!)} preferred
              </Badge>
            )}
          </Group>
        ))}
      </Stack>
    </section>
  );
}
