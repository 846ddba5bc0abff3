import { Badge, Button, Group, Progress, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import {
  type ModelComparison,
  type Training,
  TrainingReason,
  TrainingState,
} from '../../../gen/es/personalisation/v1/training_pb.js';
import { TrainingService } from '../../../gen/es/personalisation/v1/training_service_pb.js';
import { ChangeDialog } from '../kit/dialog.tsx';
import { formatChange, formatCount, formatQuality } from '../kit/format.ts';
import { Hint } from '../kit/page.tsx';
import { t } from '../texts/texts.ts';

const badges: Partial<Record<TrainingState, { children: string; color: string }>> = {
  [TrainingState.QUEUED]: { children: t('Waiting'), color: 'gray' },
  [TrainingState.RUNNING]: { children: t('Running'), color: 'blue' },
  [TrainingState.PUBLISHED]: { children: t('Published'), color: 'green' },
  [TrainingState.KEPT]: { children: t('Not better'), color: 'gray' },
  [TrainingState.FAILED]: { children: t('Failed'), color: 'red' },
};

export const triggers: Partial<Record<TrainingReason, string>> = {
  [TrainingReason.FIRST]: t('First training'),
  [TrainingReason.EVENTS]: t('New events'),
  [TrainingReason.ITEMS]: t('Changed items'),
  [TrainingReason.SCHEDULE]: t('Schedule'),
  [TrainingReason.DEMAND]: t('Manual'),
};

const stages: Record<string, string> = {
  '': t('Waiting for a node'),
  items: t('Reading items'),
  events: t('Reading events'),
  settings: t('Choosing settings'),
  held_out: t('Selecting test cases'),
  blend: t('Learning the model mix'),
  judging: t('Comparing with the live models'),
  publishing: t('Publishing'),
};

export const isUnderWay = ({ state }: Training) =>
  state === TrainingState.QUEUED || state === TrainingState.RUNNING;

export function StateBadges({ training, isServed }: { training: Training; isServed: boolean }) {
  return (
    <Group gap={4}>
      <Badge {...badges[training.state]} />
      {isServed && <Badge>{t('Live')}</Badge>}
    </Group>
  );
}

/** Decision of a training, or its progress. */
export function Result({ training }: { training: Training }) {
  const { stage, progress, decision } = training;
  if (!isUnderWay(training)) {
    const verdict = verdictOf(training.comparison);
    return (
      <>
        {verdict && <Text size="sm">{verdict}</Text>}
        {verdict ? <Hint>{decision}</Hint> : <Text size="sm">{decision}</Text>}
      </>
    );
  }
  return (
    <>
      <Text size="xs">{stages[stage] ?? t('Training {stage}', { stage: stage.replaceAll('_', ' ') })}</Text>
      <Progress value={100 * progress} mt={4} aria-label={t('Progress of the training')} />
    </>
  );
}

/** Verdict on trained models in plain words; undefined if none was possible. */
function verdictOf(comparison: ModelComparison | undefined): string | undefined {
  const { questionCount = 0, hitCount, servedHitCount } = comparison ?? {};
  if (questionCount === 0 || hitCount === undefined || servedHitCount === undefined) return undefined;
  const ofHundred = (count: number) => formatCount((100 * count) / questionCount);
  return t('Of 100 next items, {count} were in the first 20; with the models before, {earlierCount}.', {
    count: ofHundred(hitCount),
    earlierCount: ofHundred(servedHitCount),
  });
}

export const qualityHint = (testCases: number): string =>
  t('NDCG@20 on {count} test cases from events that no version was trained on', {
    count: formatCount(testCases),
  });

/** NDCG@20 of the trained models, and its change against the live ones on the same test cases. */
export function Quality({ comparison }: { comparison?: ModelComparison }) {
  if (!comparison) return <span className="quiet">–</span>;
  const { quality, servedQuality, questionCount } = comparison;
  const change = servedQuality === 0 ? 0 : quality / servedQuality - 1;
  return (
    <div title={qualityHint(questionCount)}>
      <Text size="sm" className="numbers" span>
        {formatQuality(quality)}
      </Text>
      {Math.abs(change) >= 0.0005 && (
        <Text
          size="xs"
          span
          ms={6}
          c={change > 0 ? 'var(--up)' : 'var(--down)'}
          className="numbers"
          style={{ whiteSpace: 'nowrap' }}
        >
          {formatChange(change)}
        </Text>
      )}
    </div>
  );
}

/** Serves the models of a training again, while they are kept. */
export function Restore({ training }: { training: Training }) {
  const { restorable, version, comparison } = training;
  const [isAsking, asking] = useDisclosure(false);
  if (!restorable) return null;
  return (
    <>
      <Button size="compact-xs" onClick={asking.open}>
        {t('Restore')}
      </Button>
      <RestoreDialog
        isOpen={isAsking}
        title={t('Restore the models of version {version}?', { version })}
        version={version}
        verdict={verdictOf(comparison)}
        onClose={asking.close}
      />
    </>
  );
}

type RestoreDialogProps = {
  isOpen: boolean;
  title: string;
  /** [the version before the live one] */
  version?: number;
  verdict?: string;
  onClose(): void;
};

export function RestoreDialog({ isOpen, title, version, verdict = '', onClose }: RestoreDialogProps) {
  return (
    <ChangeDialog
      isOpen={isOpen}
      title={title}
      confirm={version === undefined ? t('Roll back') : t('Restore')}
      isHarmless
      method={TrainingService.method.rollBackModels}
      request={{ version }}
      onClose={onClose}
    >
      {verdict}{' '}
      {t('Every node serves them within seconds. Automatic training is paused until you train again.')}
    </ChangeDialog>
  );
}
