import { Box, Stack, Text } from '@mantine/core';
import type { LearntBlend as Blend, ModelWorth } from '../../../gen/es/personalisation/v1/training_pb.js';
import { modelColor, modelName } from '../kit/colors.ts';
import { formatChange, formatCount, formatNumber, formatQuality } from '../kit/format.ts';
import { Heading } from '../kit/page.tsx';
import { DataTable, TablePaper } from '../kit/table.tsx';
import { rich } from '../texts/rich-text.ts';
import { t } from '../texts/texts.ts';

const title = t('Model mix');

/** Weight of each model, its quality alone, and the effect of removing it. */
export function ModelMix({ blend }: { blend: Blend }) {
  const { models, pageTypes, quality, questionCount } = blend;
  const best = models.reduce<ModelWorth | undefined>(
    (most, model) => (most && most.qualityAlone >= model.qualityAlone ? most : model),
    undefined,
  );
  const most = Math.max(...models.map(({ weight }) => weight), Number.MIN_VALUE);
  const reach = Math.max(quality, ...models.map(({ qualityAlone }) => qualityAlone), Number.MIN_VALUE);
  const lead = [
    best &&
      t('The mix reaches NDCG@20 {quality}; the best single model, “{model}”, {qualityAlone} alone.', {
        quality: formatQuality(quality),
        model: modelName(best.model),
        qualityAlone: formatQuality(best.qualityAlone),
      }),
    t('Measured on {count} test cases. The line marks the mix.', {
      count: formatCount(questionCount),
    }),
  ];
  return (
    <Stack component="section" gap="sm" aria-label={title}>
      <Heading title={title} lead={lead.filter(Boolean).join(' ')} />
      <TablePaper>
        <DataTable
          rows={models}
          keyOf={({ model }) => model}
          columns={[
            { label: t('Model'), cell: ({ model }) => modelName(model) },
            {
              label: t('Weight'),
              width: '30%',
              cell: ({ model, weight }) => (
                <Bar share={weight / most} value={formatNumber(weight)} color={modelColor(model)} />
              ),
            },
            {
              label: t('Quality alone'),
              width: '30%',
              cell: ({ model, qualityAlone }) => (
                <Bar
                  share={qualityAlone / reach}
                  mark={quality / reach}
                  value={formatQuality(qualityAlone)}
                  color={modelColor(model)}
                />
              ),
            },
            {
              label: t('Effect of removing it'),
              isNumber: true,
              cell: ({ qualityWithout }) => <Effect quality={quality} without={qualityWithout} />,
            },
          ]}
        />
      </TablePaper>
      {pageTypes.length > 0 && (
        <Text size="sm">
          {rich('Weights by page type: {pageTypes}', {
            pageTypes: pageTypes.map(({ pageType, weights }, index) => (
              <span key={pageType}>
                {index > 0 && '; '}
                <bdi className="mark">{pageType}</bdi>: {leaders(weights)}
              </span>
            )),
          })}
        </Text>
      )}
    </Stack>
  );
}

function Effect({ quality, without }: { quality: number; without: number }) {
  const change = quality === 0 ? 0 : without / quality - 1;
  return (
    <Text span inherit c={change < -0.0005 ? 'var(--down)' : undefined}>
      {Math.abs(change) < 0.0005 ? '–' : formatChange(change)}
    </Text>
  );
}

/** @param mark Share at which the mix is marked. */
function Bar({ share, value, color, mark }: { share: number; value: string; color: string; mark?: number }) {
  const line = {
    position: 'absolute',
    top: 0,
    height: 12,
    borderInlineStart: '2px solid var(--quiet)',
  } as const;
  return (
    <Box style={{ display: 'flex', alignItems: 'center', gap: 10 }}>
      <Text size="sm" className="numbers" w={52} ta="end" style={{ flex: 'none' }}>
        {value}
      </Text>
      <Box visibleFrom="sm" style={{ position: 'relative', flex: 1, height: 12 }} aria-hidden>
        <Box h={6} mt={3} w={`${100 * share}%`} style={{ borderRadius: 3, background: color }} />
        {mark !== undefined && <Box style={{ ...line, left: `${100 * mark}%` }} />}
      </Box>
    </Box>
  );
}

const leaderCount = 3;

/** Models with the largest weights. */
const leaders = (weights: Record<string, number>): string =>
  Object.entries(weights)
    .filter(([, weight]) => weight > 0)
    .sort(([, a], [, b]) => b - a)
    .slice(0, leaderCount)
    .map(([model, weight]) => `${modelName(model)} ${formatNumber(weight)}`)
    .join(', ');
