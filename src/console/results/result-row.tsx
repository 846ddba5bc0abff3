import { Badge, Box, Collapse, Group, Paper, Table, Text, Tooltip, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { ChevronDown, ChevronRight, Pin } from 'lucide-react';
import type { Item } from '../../../gen/es/personalisation/v1/item_pb.js';
import type { FoundItemExplanation } from '../../../gen/es/personalisation/v1/search_service_pb.js';
import { seriesColorVariable } from '../kit/colors.ts';
import { formatCount, formatNumber } from '../kit/format.ts';
import { ItemPicture } from '../kit/item-picture.tsx';
import { kindWords, scoreParts, text, tierWords } from './text.ts';

/** @param groupSize Items of its group that can be shown. */
type ResultRowProps = { hit: FoundItemExplanation; item?: Item; most: number; groupSize?: number };

/** A result, and, when it is opened, what each word and each reason added. */
export function ResultRow({ hit, item, most, groupSize = 0 }: ResultRowProps) {
  const [isOpen, opening] = useDisclosure(false);
  const title = item?.title ?? hit.itemId;
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
              <bdi>{title}</bdi>
            </Text>
            <Text size="xs" className="quiet" truncate>
              {hit.itemType} · {tierWords[hit.tier] ?? hit.tier}
              {groupSize > 1 && ` · ${text.ofGroup(formatCount(groupSize))}`}
            </Text>
          </Box>
          <Steered hit={hit} />
          <Box maw={{ base: 56, sm: 200 }} miw={56} style={{ flex: '1 4 200px' }}>
            <ScoreBar hit={hit} most={most} />
          </Box>
          {isOpen ? <ChevronDown size={15} aria-hidden /> : <ChevronRight size={15} aria-hidden />}
        </Group>
      </UnstyledButton>
      <Collapse expanded={isOpen} transitionDuration={0}>
        {isOpen && <Details hit={hit} />}
      </Collapse>
    </Paper>
  );
}

/** What configurations did to it. */
function Steered({ hit: { pinnedBy, preferenceWeight } }: { hit: FoundItemExplanation }) {
  return (
    <>
      {pinnedBy && (
        <Tooltip label={text.pinned(pinnedBy)}>
          <Pin size={15} role="img" aria-label={text.pinned(pinnedBy)} style={{ flexShrink: 0 }} />
        </Tooltip>
      )}
      {preferenceWeight !== 0 && (
        <Badge variant="light" color="ink" tt="none" visibleFrom="sm" style={{ flexShrink: 0 }}>
          {text.preferred(preferenceWeight)}
        </Badge>
      )}
    </>
  );
}

function ScoreBar({ hit, most }: { hit: FoundItemExplanation; most: number }) {
  return (
    <Box
      style={{ display: 'flex', height: 8, borderRadius: 4, overflow: 'hidden', background: 'var(--line)' }}
    >
      {scoreParts.map(({ key }, place) => (
        <span
          key={key}
          style={{
            width: `${(100 * Math.max(0, hit[key])) / most}%`,
            background: seriesColorVariable(place),
          }}
        />
      ))}
    </Box>
  );
}

function Details({ hit }: { hit: FoundItemExplanation }) {
  return (
    <Box mt="sm" ps={{ base: 0, sm: 34 }}>
      <Group gap="xs" mb="xs">
        {scoreParts.map(({ key, label }, place) => (
          <Badge
            key={key}
            variant="default"
            tt="none"
            leftSection={
              <span
                style={{
                  display: 'inline-block',
                  width: 8,
                  height: 8,
                  borderRadius: 2,
                  background: seriesColorVariable(place),
                }}
              />
            }
          >
            {label} {formatNumber(hit[key])}
          </Badge>
        ))}
      </Group>
      <Table verticalSpacing={4} horizontalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Word</Table.Th>
            <Table.Th>Found</Table.Th>
            <Table.Th>Where</Table.Th>
            <Table.Th ta="end">Adds</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {hit.words.map(({ word, kind, text: found, score, fields }) => (
            <Table.Tr key={word}>
              <Table.Td>
                <bdi>{word}</bdi>
              </Table.Td>
              <Table.Td>
                <bdi>{found}</bdi> <span className="quiet">{kindWords[kind] ?? kind}</span>
              </Table.Td>
              <Table.Td>
                {fields.map(({ field, score: part }) => `${field} ${formatNumber(part)}`).join(', ')}
              </Table.Td>
              <Table.Td ta="end" className="numbers">
                {formatNumber(score)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Box>
  );
}
