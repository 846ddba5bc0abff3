import { Box, Stack, Text } from '@mantine/core';
import type {
  LearntBlend as Blend,
  ModelWorth,
  Training,
} from '../../../gen/es/personalisation/v1/training_pb.js';
import { TrainingService } from '../../../gen/es/personalisation/v1/training_service_pb.js';
import { modelColor, modelName } from '../kit/colors.ts';
import {
  formatChange,
  formatCount,
  formatMoment,
  formatNumber,
  formatQuality,
  momentOf,
} from '../kit/format.ts';
import { BrainCircuit } from '../kit/icons.ts';
import { Empty, Heading, Hint, PageFrame, PageLink, Unread } from '../kit/page.tsx';
import { useRead } from '../kit/queries.ts';
import { DataTable, type FigureTile, FigureTiles, TablePaper } from '../kit/table.tsx';
import { rich } from '../texts/rich-text.ts';
import { t } from '../texts/texts.ts';
import { isUnderWay, qualityHint, Restore, Result, StateBadges, triggers } from './states.tsx';

const busyMs = 1_000;

const toAll = <PageLink to="models">{t('Models')}</PageLink>;

/** One training: its input, its result, and the contribution of each model. */
export function TrainingPage({ trainingId }: { trainingId: string }) {
  const { data, error, refetch } = useRead(
    TrainingService.method.getTraining,
    { trainingId },
    {
      refetchInterval: ({ state }) =>
        state.data?.training && isUnderWay(state.data.training) ? busyMs : false,
    },
  );
  const request = { pageSize: 1 };
  const listed = useRead(TrainingService.method.listTrainings, request);
  const training = data?.training;
  if (error || !training)
    return (
      <Unread error={error} onRetry={refetch} missing={t('Training not found')}>
        {rich('The service keeps the last 200 trainings. {toAll}', { toAll })}
      </Unread>
    );
  const { version, learntBlend, comparison } = training;
  const requested = momentOf(training.requestTime);
  const isServed = version > 0 && version === listed.data?.servedVersion;
  return (
    <PageFrame
      title={version > 0 ? t('Version {version}', { version }) : t('Training')}
      lead={
        <>
          {toAll} / {requested && formatMoment(requested)}
        </>
      }
      actions={
        <>
          <StateBadges training={training} isServed={isServed} />
          <Restore training={training} />
        </>
      }
    >
      <Stack gap="lg">
        <Result training={training} />
        <Figures training={training} />
        {learntBlend && <ModelMix blend={learntBlend} />}
        {!learntBlend && !isUnderWay(training) && (
          <Empty icon={BrainCircuit} title={comparison ? t('Model mix not stored') : t('No model mix')}>
            {comparison
              ? t('Of this training, the service has the result and the quality, without the weights.')
              : t('No weights are known. With too few test cases, models keep their default weights.')}
          </Empty>
        )}
      </Stack>
    </PageFrame>
  );
}

function Figures({ training }: { training: Training }) {
  const { comparison, eventCount, itemCount, reason } = training;
  const tiles: FigureTile[] = [
    [formatCount(eventCount), t('events read')],
    [formatCount(itemCount), t('items read')],
  ];
  if (comparison)
    tiles.push(
      [formatQuality(comparison.quality), t('quality, NDCG@20')],
      [formatQuality(comparison.servedQuality), t('quality of the live models')],
    );
  return (
    <>
      <FigureTiles tiles={tiles} />
      <Hint size="sm">
        {t('Trigger: {trigger}', { trigger: triggers[reason] })}
        {comparison && `. ${qualityHint(comparison.questionCount)}.`}
      </Hint>
    </>
  );
}

const title = t('Model mix');

/** Weight of each model, its quality alone, and the effect of removing it. */
function ModelMix({ blend }: { blend: Blend }) {
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
    t('Measured on {count} test cases. The line marks the mix.', { count: formatCount(questionCount) }),
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
