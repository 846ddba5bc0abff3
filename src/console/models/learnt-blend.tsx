import { Box, Paper, Stack, Table, Text, Title } from '@mantine/core';
import type { LearntBlend as Blend, ModelWorth } from '../../../gen/es/personalisation/v1/training_pb.js';
import { formatChange, formatCount, formatNumber, formatQuality } from '../kit/format.ts';
import { modelColor, modelName } from '../kit/models.ts';
import { text } from './text.ts';

/** What the blend learnt: each model's weight, what it is worth by itself, and what is lost without it. */
export function LearntBlend({ blend }: { blend: Blend }) {
  const { models, pageTypes, quality, questionCount } = blend;
  const best = models.reduce<ModelWorth | undefined>(
    (most, model) => (most && most.qualityAlone >= model.qualityAlone ? most : model),
    undefined,
  );
  return (
    <Stack component="section" gap="sm" aria-label={text.learnt}>
      <div>
        <Title order={2}>{text.learnt}</Title>
        <Text size="sm" className="quiet" mt={2}>
          {best &&
            text.learntLead(
              formatQuality(quality),
              modelName(best.model),
              formatQuality(best.qualityAlone),
            )}{' '}
          {text.learntFrom(formatCount(questionCount))}
        </Text>
      </div>
      <Paper style={{ overflow: 'hidden' }}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Model</Table.Th>
              <Table.Th w="30%">Weight</Table.Th>
              <Table.Th w="30%">Quality alone</Table.Th>
              <Table.Th ta="end" title={text.withoutTitle}>
                Blend without it
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {models.map((worth) => (
              <WorthRow key={worth.model} worth={worth} blend={blend} />
            ))}
          </Table.Tbody>
        </Table>
      </Paper>
      {pageTypes.length > 0 && (
        <Text size="sm">
          {text.pageTypes}{' '}
          {pageTypes.map(({ pageType, weights }, place) => (
            <span key={pageType}>
              {place > 0 && '; '}
              <bdi className="mark">{pageType}</bdi>: {leaders(weights)}
            </span>
          ))}
        </Text>
      )}
    </Stack>
  );
}

function WorthRow({ worth, blend }: { worth: ModelWorth; blend: Blend }) {
  const { model, weight, qualityAlone, qualityWithout } = worth;
  const most = Math.max(...blend.models.map((one) => one.weight), Number.MIN_VALUE);
  const reach = Math.max(blend.quality, ...blend.models.map((one) => one.qualityAlone), Number.MIN_VALUE);
  const change = blend.quality === 0 ? 0 : qualityWithout / blend.quality - 1;
  return (
    <Table.Tr>
      <Table.Td>{modelName(model)}</Table.Td>
      <Table.Td>
        <Bar share={weight / most} value={formatNumber(weight)} color={modelColor(model)} />
      </Table.Td>
      <Table.Td>
        <Bar
          share={qualityAlone / reach}
          mark={blend.quality / reach}
          value={formatQuality(qualityAlone)}
          color={modelColor(model)}
        />
      </Table.Td>
      <Table.Td ta="end" className="numbers" c={change < -0.0005 ? 'var(--down)' : undefined}>
        {Math.abs(change) < 0.0005 ? '–' : formatChange(change)}
      </Table.Td>
    </Table.Tr>
  );
}

type BarProps = { share: number; value: string; color: string /** Where the blend stands. */; mark?: number };

function Bar({ share, value, color, mark }: BarProps) {
  return (
    <Box style={{ display: 'flex', alignItems: 'center', gap: 10 }}>
      <Text size="sm" className="numbers" w={52} ta="end" style={{ flex: 'none' }}>
        {value}
      </Text>
      <Box visibleFrom="sm" style={{ position: 'relative', flex: 1, height: 12 }} aria-hidden>
        <Box h={6} mt={3} w={`${100 * share}%`} style={{ borderRadius: 3, background: color }} />
        {mark !== undefined && (
          <Box
            style={{
              ...{ position: 'absolute', top: 0, left: `${100 * mark}%`, height: 12 },
              borderInlineStart: '2px solid var(--quiet)',
            }}
          />
        )}
      </Box>
    </Box>
  );
}

const ledBy = 3;

/** The models that count most on pages of a type. */
function leaders(weights: Record<string, number>): string {
  return Object.entries(weights)
    .filter(([, weight]) => weight > 0)
    .sort(([, a], [, b]) => b - a)
    .slice(0, ledBy)
    .map(([model, weight]) => `${modelName(model)} ${formatNumber(weight)}`)
    .join(', ');
}
