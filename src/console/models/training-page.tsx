import { useQuery } from '@connectrpc/connect-query';
import { Stack } from '@mantine/core';
import type { Training } from '../../../gen/es/personalisation/v1/training_pb.js';
import { TrainingService } from '../../../gen/es/personalisation/v1/training_service_pb.js';
import { formatCount, formatMoment, formatQuality, momentOf } from '../kit/format.ts';
import { BrainCircuit } from '../kit/icons.ts';
import { Empty, ErrorNotice, Hint, PageFrame, PageLink, PageSkeleton } from '../kit/page.tsx';
import { isNotFound } from '../kit/queries.ts';
import { type FigureTile, FigureTiles } from '../kit/table.tsx';
import { useConsole } from '../service/console-context.ts';
import { rich } from '../texts/rich-text.ts';
import { t } from '../texts/texts.ts';
import { ModelMix } from './model-mix.tsx';
import { Restore } from './restore.tsx';
import { isUnderWay, qualityHint, Result, StateBadges, triggers } from './states.tsx';

const busyMs = 1_000;

const toAll = <PageLink to="models">{t('Models')}</PageLink>;

/** One training: its input, its result, and the contribution of each model. */
export function TrainingPage({ trainingId }: { trainingId: string }) {
  const { environment } = useConsole();
  const { data, error, refetch } = useQuery(
    TrainingService.method.getTraining,
    { environment: environment.name, trainingId },
    {
      refetchInterval: ({ state }) =>
        state.data?.training && isUnderWay(state.data.training) ? busyMs : false,
    },
  );
  const request = { environment: environment.name, pageSize: 1 };
  const listed = useQuery(TrainingService.method.listTrainings, request);
  if (isNotFound(error))
    return (
      <Empty icon={BrainCircuit} title={t('Training not found')}>
        {rich('The service keeps the last 200 trainings. {toAll}', { toAll })}
      </Empty>
    );
  if (error) return <ErrorNotice error={error} onRetry={refetch} />;
  const training = data?.training;
  if (!training) return <PageSkeleton />;
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
