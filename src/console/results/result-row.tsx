import { Badge, Box, Collapse, Group, Paper, Text, Tooltip, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { Item } from '../../../gen/es/personalisation/v1/item_pb.js';
import type { FoundItemExplanation } from '../../../gen/es/personalisation/v1/search_service_pb.js';
import { seriesColorVariable } from '../kit/colors.ts';
import { formatCount, formatNumber } from '../kit/format.ts';
import { ChevronDown, ChevronRight, Pin } from '../kit/icons.ts';
import { ItemPicture } from '../kit/item-picture.tsx';
import { DataTable } from '../kit/table.tsx';
import { t } from '../texts/texts.ts';
import { kindWords } from './interpretation.tsx';

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
export function ResultRow({ hit, item, most, groupSize = 0 }: ResultRowProps) {
  const [isOpen, opening] = useDisclosure(false);
  const Arrow = isOpen ? ChevronDown : ChevronRight;
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
          <Arrow size={15} aria-hidden />
        </Group>
      </UnstyledButton>
      <Collapse expanded={isOpen} transitionDuration={0}>
        {isOpen && <Details hit={hit} />}
      </Collapse>
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
