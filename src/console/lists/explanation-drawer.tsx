import { Badge, Box, Drawer, Group, Stack, Text, Title } from '@mantine/core';
import type {
  ItemExplanation,
  ListExplanation,
  ModelPart,
} from '../../../gen/es/personalisation/v1/recommendation_service_pb.js';
import { readPreference, readRule } from '../grammar/document.ts';
import { useConfigurationDocument } from '../grammar/stored-documents.ts';
import { keyWords, preferenceWords, ruleWords, weightWords } from '../grammar/words.ts';
import { modelColor, modelName } from '../kit/colors.ts';
import { formatCount, formatNumber } from '../kit/format.ts';
import { ItemLine } from '../kit/item-picture.tsx';
import type { ItemLookup } from '../kit/items.ts';
import { Hint } from '../kit/page.tsx';
import { rich } from '../texts/rich-text.ts';
import { t } from '../texts/texts.ts';
import type { Chosen } from './column.tsx';
import { sourceWords } from './item-card.tsx';

/** Smaller scores would be shown as 0. */
const leastShown = 0.005;

type ExplanationDrawerProps = { chosen?: Chosen; lookUp: ItemLookup; onClose(): void };

/** Explains the rank of an item: score by model, and rules. */
export function ExplanationDrawer({ chosen, lookUp, onClose }: ExplanationDrawerProps) {
  return (
    <Drawer opened={chosen !== undefined} onClose={onClose} title={t('Why this item ranks here')}>
      {chosen && <Explanation chosen={chosen} lookUp={lookUp} />}
    </Drawer>
  );
}

function Explanation({ chosen, lookUp }: { chosen: Chosen; lookUp: ItemLookup }) {
  const explanation = chosen.list.items.find(({ rank }) => rank === chosen.rank);
  if (!explanation) return null;
  const { rank, score, parts } = explanation;
  return (
    <Stack gap="lg">
      <ItemLine item={lookUp(explanation)} name={explanation}>
        {t('Rank {rank} · {source}', { rank, source: sourceWords(explanation) })}
      </ItemLine>
      {parts.length > 0 && (
        <section aria-label={t('Score')}>
          <Group justify="space-between" mb="xs">
            <Title order={3}>{t('Score')}</Title>
            <Text size="sm" className="numbers" fw={600}>
              {formatNumber(score)}
            </Text>
          </Group>
          <Parts parts={parts} lookUp={lookUp} />
        </section>
      )}
      <RuleList list={chosen.list} explanation={explanation} />
    </Stack>
  );
}

function Parts({ parts, lookUp }: { parts: readonly ModelPart[]; lookUp: ItemLookup }) {
  const most = Math.max(...parts.map((part) => Math.abs(part.score)), Number.MIN_VALUE);
  const isShown = (part: ModelPart) => Math.abs(part.score) >= leastShown;
  const hidden = parts.filter((part) => !isShown(part)).map(({ model }) => modelName(model));
  return (
    <Stack gap="sm">
      {parts
        .filter(isShown)
        .sort((a, b) => b.score - a.score)
        .map(({ model, score, reasonItemIds }) => (
          <Box key={model}>
            <Group justify="space-between" gap="xs">
              <Text size="sm">{modelName(model)}</Text>
              <Text size="sm" className="numbers">
                {formatNumber(score)}
              </Text>
            </Group>
            <Box
              h={6}
              mt={3}
              w={`${(100 * Math.abs(score)) / most}%`}
              style={{ borderRadius: 3, background: modelColor(model) }}
            />
            {reasonItemIds.length > 0 && (
              <Hint mt={3}>
                {rich('because of {items}', {
                  items: reasonItemIds.map((id, i) => (
                    <span key={id}>
                      {i > 0 && ', '}
                      <bdi>{lookUp({ itemId: id })?.title ?? id}</bdi>
                    </span>
                  )),
                })}
              </Hint>
            )}
          </Box>
        ))}
      {hidden.length > 0 && (
        <Hint>{t('Little or no score from: {models}.', { models: hidden.join(', ') })}</Hint>
      )}
    </Stack>
  );
}

type RuleListProps = { list: ListExplanation; explanation: ItemExplanation };

/** Rules and preferences of the list, with those that apply to the item. */
function RuleList({ list, explanation }: RuleListProps) {
  const { data } = useConfigurationDocument(list.listName);
  const rules = (data?.document.constraints ?? []).map(readRule);
  const preferences = (data?.document.preferences ?? []).map(readPreference);
  const matched = new Map(explanation.preferences.map((one) => [one.preferenceIndex, one.weight]));
  if (list.rules.length === 0 && preferences.length === 0) return null;
  return (
    <section aria-label={t('Rules')}>
      <Title order={3} mb="xs">
        {t('Rules')}
      </Title>
      <Stack gap="xs">
        {list.rules.map(({ constraintIndex, usedCount, cutCount, dropped }) => (
          <Line
            key={constraintIndex}
            badge={explanation.constraintIndexes.includes(constraintIndex) && t('applies to this item')}
          >
            <Text size="sm" td={dropped ? 'line-through' : undefined}>
              {rules[constraintIndex]
                ? ruleWords(rules[constraintIndex])
                : t('Rule {constraintIndex}', { constraintIndex: constraintIndex + 1 })}
            </Text>
            <Hint>
              {dropped
                ? t('Ignored: the request or the visitor’s history lacks its variable.')
                : t('{usedCount} in the list, {cutCount} excluded', {
                    usedCount: formatCount(usedCount),
                    cutCount: formatCount(cutCount),
                  })}
            </Hint>
          </Line>
        ))}
        {list.historyVariables.map(({ name, events, values }) => (
          <Hint key={`${name} ${events}`}>
            {t('{variable} in the history: {values}', {
              variable: keyWords(name),
              values: values.join(', ') || t('none'),
            })}
          </Hint>
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
