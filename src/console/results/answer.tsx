import { Alert, Badge, Box, Group, Paper, Stack, Text, Tooltip, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type ReactNode, useMemo } from 'react';
import type { Item } from '../../../gen/es/personalisation/v1/item_pb.js';
import type { PreviewSearchResponse } from '../../../gen/es/personalisation/v1/preview_service_pb.js';
import type { SearchResults } from '../../../gen/es/personalisation/v1/search_pb.js';
import type {
  FoundItemExplanation,
  SearchExplanation,
} from '../../../gen/es/personalisation/v1/search_service_pb.js';
import { seriesColorVariable } from '../kit/colors.ts';
import { formatCount, formatNumber, formatShare } from '../kit/format.ts';
import { CornerUpRight, Megaphone, OpenArrow, Pin, Search } from '../kit/icons.ts';
import { itemKey } from '../kit/item-names.ts';
import { ItemPicture } from '../kit/item-picture.tsx';
import { useItems } from '../kit/items.ts';
import { Empty, RuleSetLink, Section } from '../kit/page.tsx';
import { DataTable } from '../kit/table.tsx';
import { rich } from '../texts/rich-text.ts';
import { t } from '../texts/texts.ts';

/** Explained answer of a search: active rules, interpretation and results. */
export function Answer({ answer, isStale }: { answer: PreviewSearchResponse; isStale: boolean }) {
  const { results, explanation } = answer;
  const hits = useMemo(() => explanation?.lists.flatMap(({ items }) => items) ?? [], [explanation]);
  const ids = useMemo(() => hits.map(({ itemId }) => itemId), [hits]);
  const lookUp = useItems(ids);
  if (!results || !explanation) return null;
  const most = Math.max(...hits.map(({ score }) => score), Number.MIN_VALUE);
  const found = results.lists.flatMap(({ items }) => items);
  return (
    <Box aria-busy={isStale}>
      <Stack gap="md">
        <ActiveRules results={results} explanation={explanation} />
        <Interpretation explanation={explanation} />
      </Stack>
      {hits.length === 0 ? (
        <Empty icon={Search} title={t('No results')}>
          {t('No enabled item contains these words. “Queries” lists such searches.')}
        </Empty>
      ) : (
        <Stack gap="xs" component="ol" p={0} m={0} mt="md" style={{ listStyle: 'none' }}>
          {hits.map((hit, index) => (
            <ResultRow
              key={itemKey(hit)}
              hit={hit}
              item={lookUp(hit)}
              most={most}
              groupSize={found[index]?.groupSize}
            />
          ))}
        </Stack>
      )}
    </Box>
  );
}

type ActiveRulesProps = { results: SearchResults; explanation: SearchExplanation };

/** Redirect, banners, and the rule sets that apply to a search with the reasons. */
function ActiveRules({ results, explanation: { configurations } }: ActiveRulesProps) {
  const { redirect, promotedContent } = results;
  if (configurations.length === 0) return null;
  return (
    <Section title={t('Active rules')}>
      <Stack gap="sm">
        {redirect && (
          <Line icon={<CornerUpRight size={16} />}>
            <Text size="sm">
              {rich('Redirects to {address}', { address: <bdi className="mark">{redirect}</bdi> })}
            </Text>
          </Line>
        )}
        {promotedContent.map((banner, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: banners have no id
          <Line key={index} icon={<Megaphone size={16} aria-label={t('Banner')} />}>
            {Object.entries(banner).map(([name, value]) => (
              <Text key={name} size="sm">
                <span className="quiet">{name}</span>{' '}
                <bdi>{typeof value === 'string' ? value : JSON.stringify(value)}</bdi>
              </Text>
            ))}
          </Line>
        ))}
        {configurations.map(({ configurationId, reasons, unmet }) => (
          <div key={configurationId}>
            <Group gap={6}>
              <Text size="sm">
                {t('Rule set')} <RuleSetLink id={configurationId} />
              </Text>
              {(reasons.length > 0 ? reasons : [t('every search')]).map((reason) => (
                <Badge key={reason} color="gray">
                  {reason}
                </Badge>
              ))}
            </Group>
            {unmet.map(({ constraintIndex, wanted, found }) => (
              <Text key={constraintIndex} size="xs" c="var(--warn)">
                {t('Minimum of {wanted} not met: {found} in the results.', { wanted, found })}
              </Text>
            ))}
          </div>
        ))}
      </Stack>
    </Section>
  );
}

function Line({ icon, children }: { icon: ReactNode; children: ReactNode }) {
  return (
    <Group gap="xs" wrap="nowrap" align="flex-start">
      {icon}
      <div style={{ minWidth: 0, overflowWrap: 'anywhere' }}>{children}</div>
    </Group>
  );
}

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

const kindWords = (kind: string): string => kinds[kind] ?? kind;

/** Corrections, ignored words, and the alternatives of each word. */
function Interpretation({ explanation }: { explanation: SearchExplanation }) {
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

/** Tiers of text relevance, best first. */
const tiers: Record<string, string> = {
  exact_title: t('Exact title'),
  title_phrase: t('Phrase match in title'),
  title: t('All words in the title'),
  all_words: t('All words'),
  some_words: t('Some words'),
  fused: t('Words and vector'),
};

/** Parts of a score, in drawing order. */
const scoreParts = [
  { key: 'textScore', label: t('Text match') },
  { key: 'likenessScore', label: t('Similar to the top hits') },
  { key: 'priorScore', label: t('Popularity') },
  { key: 'tasteScore', label: t('Visitor’s preferences') },
  { key: 'clickScore', label: t('Clicks by others') },
] as const;

/** @param groupSize Available items of its group. */
type ResultRowProps = { hit: FoundItemExplanation; item?: Item; most: number; groupSize?: number };

/** A result; opens to show its score by word and reason. */
function ResultRow({ hit, item, most, groupSize = 0 }: ResultRowProps) {
  const [isOpen, opening] = useDisclosure(false);
  return (
    <Paper component="li" p="xs">
      <UnstyledButton w="100%" onClick={opening.toggle} aria-expanded={isOpen}>
        <Group wrap="nowrap" gap="sm">
          <Text size="sm" className="numbers quiet" w={22} ta="end">
            {hit.rank}
          </Text>
          <ItemPicture item={item} name={hit.itemId} size="small" />
          <Box miw={0} style={{ flex: '4 1 200px' }}>
            <Text size="sm" fw={500} truncate>
              <bdi>{item?.title ?? hit.itemId}</bdi>
            </Text>
            <Text size="xs" className="quiet" truncate>
              {hit.itemType} · {tiers[hit.tier] ?? hit.tier}
              {groupSize > 1 && ` · ${t('one of {count} in its group', { count: formatCount(groupSize) })}`}
            </Text>
          </Box>
          <RuleEffects hit={hit} />
          <Box maw={{ base: 56, sm: 200 }} miw={56} style={{ flex: '1 4 200px' }}>
            <ScoreBar hit={hit} most={most} />
          </Box>
          <OpenArrow isOpen={isOpen} size={15} />
        </Group>
      </UnstyledButton>
      {isOpen && <Details hit={hit} />}
    </Paper>
  );
}

/** Pin and preferences of rule sets. */
function RuleEffects({ hit: { pinnedBy, preferenceWeight: weight } }: { hit: FoundItemExplanation }) {
  const label = t('Pinned by {pinnedBy}', { pinnedBy });
  return (
    <>
      {pinnedBy && (
        <Tooltip label={label}>
          <Pin size={15} role="img" aria-label={label} style={{ flexShrink: 0 }} />
        </Tooltip>
      )}
      {weight !== 0 && (
        <Badge color="ink" visibleFrom="sm" style={{ flexShrink: 0 }}>
          {weight < 0 ? t('Buried {weight}', { weight: -weight }) : t('Boosted +{weight}', { weight })}
        </Badge>
      )}
    </>
  );
}

function ScoreBar({ hit, most }: { hit: FoundItemExplanation; most: number }) {
  const frame = {
    display: 'flex',
    height: 8,
    borderRadius: 4,
    overflow: 'hidden',
    background: 'var(--line)',
  };
  return (
    <Box style={frame}>
      {scoreParts.map(({ key }, index) => {
        const width = `${(100 * Math.max(0, hit[key])) / most}%`;
        return <span key={key} style={{ width, background: seriesColorVariable(index) }} />;
      })}
    </Box>
  );
}

function Details({ hit }: { hit: FoundItemExplanation }) {
  return (
    <Box mt="sm" ps={{ base: 0, sm: 34 }}>
      <Group gap="xs" mb="xs">
        {scoreParts.map(({ key, label }, index) => (
          <Badge
            key={key}
            variant="default"
            leftSection={<span className="swatch" style={{ background: seriesColorVariable(index) }} />}
          >
            {label} {formatNumber(hit[key])}
          </Badge>
        ))}
      </Group>
      <DataTable
        verticalSpacing={4}
        horizontalSpacing={6}
        rows={hit.words}
        keyOf={({ word }) => word}
        columns={[
          { label: t('Word'), cell: ({ word }) => <bdi>{word}</bdi> },
          {
            label: t('Match'),
            cell: ({ kind, text }) => (
              <>
                <bdi>{text}</bdi> <span className="quiet">{kindWords(kind)}</span>
              </>
            ),
          },
          {
            label: t('Fields'),
            cell: ({ fields }) =>
              fields.map((part) => `${part.field} ${formatNumber(part.score)}`).join(', '),
          },
          { label: t('Score'), isNumber: true, cell: ({ score }) => formatNumber(score) },
        ]}
      />
    </Box>
  );
}
