import { Badge, Group, Stack, Text, Title } from '@mantine/core';
import type {
  ItemExplanation,
  ListExplanation,
} from '../../../gen/es/personalisation/v1/recommendation_service_pb.js';
import { readPreference, readRule } from '../grammar/document.ts';
import { useConfigurationDocument } from '../grammar/stored-documents.ts';
import { preferenceWords, ruleWords, weightWords } from '../grammar/words.ts';
import { formatCount } from '../kit/format.ts';
import { Hint } from '../kit/page.tsx';

type RuleListProps = { list: ListExplanation; explanation: ItemExplanation };

/** Rules and preferences of the list, with those that apply to the item. */
export function RuleList({ list, explanation }: RuleListProps) {
  const { data } = useConfigurationDocument(list.listName);
  const rules = (data?.document.constraints ?? []).map(readRule);
  const preferences = (data?.document.preferences ?? []).map(readPreference);
  const matched = new Map(explanation.preferences.map((one) => [one.preferenceIndex, one.weight]));
  if (list.rules.length === 0 && preferences.length === 0) return null;
  return (
    <section aria-label="Rules">
      <Title order={3} mb="xs">
        Rules
      </Title>
      <Stack gap="xs">
        {list.rules.map(({ constraintIndex, usedCount, cutCount, dropped }) => (
          <Line
            key={constraintIndex}
            badge={explanation.constraintIndexes.includes(constraintIndex) && 'applies to this item'}
          >
            <Text size="sm" td={dropped ? 'line-through' : undefined}>
              {rules[constraintIndex] ? ruleWords(rules[constraintIndex]) : `Rule ${constraintIndex + 1}`}
            </Text>
            <Hint>
              {dropped
                ? 'Ignored: the request lacks its variable.'
                : `${formatCount(usedCount)} in the list, ${formatCount(cutCount)} excluded`}
            </Hint>
          </Line>
        ))}
        {preferences.map((preference, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: preferences have no id
          <Line key={index} color="green" badge={matched.has(index) && weightWords(matched.get(index)!)}>
            <Text size="sm">{preferenceWords(preference)}</Text>
          </Line>
        ))}
      </Stack>
    </section>
  );
}

type LineProps = { badge: string | false; color?: string; children: React.ReactNode };

function Line({ badge, color, children }: LineProps) {
  return (
    <Group justify="space-between" wrap="nowrap" align="flex-start" gap="xs">
      <div style={{ minWidth: 0, overflowWrap: 'anywhere' }}>{children}</div>
      {badge && (
        <Badge color={color} style={{ flexShrink: 0 }}>
          {badge}
        </Badge>
      )}
    </Group>
  );
}
