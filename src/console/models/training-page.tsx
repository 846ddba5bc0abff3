import { Code, ConnectError } from '@connectrpc/connect';
import { useQuery } from '@connectrpc/connect-query';
import { Anchor, Progress, Stack, Text } from '@mantine/core';
import { BrainCircuit } from 'lucide-react';
import { Link } from 'wouter';
import type { Training } from '../../../gen/es/personalisation/v1/training_pb.js';
import { TrainingService } from '../../../gen/es/personalisation/v1/training_service_pb.js';
import { Empty } from '../kit/empty.tsx';
import { ErrorNotice } from '../kit/error-notice.tsx';
import { type FigureTile, FigureTiles } from '../kit/figure-tiles.tsx';
import { formatCount, formatMoment, formatQuality } from '../kit/format.ts';
import { PageFrame, PageSkeleton } from '../kit/page.tsx';
import { momentOf } from '../kit/timestamp.ts';
import { useConsole } from '../service/console-context.ts';
import { LearntBlend } from './learnt-blend.tsx';
import { isUnderWay, StateMarks } from './marks.tsx';
import { reasonWords, stageWords, text } from './text.ts';

const busyMs = 1_000;

/** One training: what it read, what was decided and why, and what each of its models is worth. */
export function TrainingPage({ trainingId }: { trainingId: string }) {
  const { environment } = useConsole();
  const of = { environment: environment.name };
  const { data, error, refetch } = useQuery(
    TrainingService.method.getTraining,
    { ...of, trainingId },
    {
      refetchInterval: ({ state }) =>
        state.data?.training && isUnderWay(state.data.training) ? busyMs : false,
    },
  );
  const listed = useQuery(TrainingService.method.listTrainings, { ...of, pageSize: 1 });
  if (error && ConnectError.from(error).code === Code.NotFound)
    return (
      <Empty icon={BrainCircuit} title={text.gone}>
        {text.goneLead} <ToAll />
      </Empty>
    );
  if (error) return <ErrorNotice error={error} onRetry={refetch} />;
  const training = data?.training;
  if (!training) return <PageSkeleton />;
  const asked = momentOf(training.requestTime);
  const isServed = training.version > 0 && training.version === listed.data?.servedVersion;
  return (
    <PageFrame
      title={training.version > 0 ? text.version(training.version) : text.training}
      lead={
        <>
          <ToAll /> / {asked && formatMoment(asked)}
        </>
      }
      actions={<StateMarks training={training} isServed={isServed} />}
    >
      <Stack gap="lg">
        <Text>{isUnderWay(training) ? stageWords(training.stage) : training.decision}</Text>
        {isUnderWay(training) && (
          <Progress value={100 * training.progress} aria-label="Progress of the training" />
        )}
        <Figures training={training} />
        {training.learntBlend ? (
          <LearntBlend blend={training.learntBlend} />
        ) : (
          !isUnderWay(training) && (
            <Empty icon={BrainCircuit} title={text.nothingLearnt}>
              {text.nothingLearntLead}
            </Empty>
          )
        )}
      </Stack>
    </PageFrame>
  );
}

function ToAll() {
  const { pathTo } = useConsole();
  return (
    <Anchor component={Link} href={pathTo('models')} size="sm" underline="always">
      {text.title}
    </Anchor>
  );
}

function Figures({ training }: { training: Training }) {
  const { comparison, eventCount, itemCount } = training;
  const compared: FigureTile[] = comparison
    ? [
        [formatQuality(comparison.quality), text.quality],
        [formatQuality(comparison.servedQuality), text.servedQuality],
      ]
    : [];
  const tiles: FigureTile[] = [
    [formatCount(eventCount), text.events],
    [formatCount(itemCount), text.items],
    ...compared,
  ];
  return (
    <>
      <FigureTiles tiles={tiles} />
      <Text size="sm" className="quiet">
        {text.why} {reasonWords[training.reason]}
        {comparison && `. ${text.qualityTitle(formatCount(comparison.questionCount))}.`}
      </Text>
    </>
  );
}
