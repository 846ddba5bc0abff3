import { TrainingReason, TrainingState } from '../../../gen/es/personalisation/v1/training_pb.js';

export const text = {
  title: 'Models',
  lead: (version: number) =>
    version === 0
      ? 'What a node trained quickly at its start is in use; the first training replaces it.'
      : `Version ${version} is in use. Trainings happen by themselves; one that is worse than what is in use changes nothing.`,
  held: 'Somebody went back to this version. Nothing is trained by itself until you train.',
  none: 'No training yet',
  noneLead: 'The first one begins with the first events.',
  train: 'Train now',
  rollBack: 'Go back',
  rollBackTitle: (version: number) => `Go back to the models before version ${version}?`,
  rollBackLead:
    'Every node serves them within seconds, and nothing is trained by itself until somebody asks for a training.',
  qualityTitle: (count: string) => `NDCG@20 on ${count} questions about events that no version has seen`,
};

export const stateMarks: Partial<Record<TrainingState, { label: string; color: string }>> = {
  [TrainingState.QUEUED]: { label: 'Waiting', color: 'gray' },
  [TrainingState.RUNNING]: { label: 'Running', color: 'blue' },
  [TrainingState.PUBLISHED]: { label: 'Published', color: 'green' },
  [TrainingState.KEPT]: { label: 'Not better', color: 'gray' },
  [TrainingState.FAILED]: { label: 'Failed', color: 'red' },
};

export const reasonWords: Partial<Record<TrainingReason, string>> = {
  [TrainingReason.FIRST]: 'The first one',
  [TrainingReason.EVENTS]: 'New events',
  [TrainingReason.ITEMS]: 'Changed items',
  [TrainingReason.SCHEDULE]: 'Time has passed',
  [TrainingReason.DEMAND]: 'Somebody asked',
};

const stages: Record<string, string> = {
  '': 'Waits for a node',
  items: 'Reads items',
  events: 'Reads events',
  settings: 'Chooses settings',
  held_out: 'Sets questions aside',
  blend: 'Learns the blend',
  judging: 'Compares with what is in use',
  publishing: 'Publishes',
};

export const stageWords = (stage: string): string => stages[stage] ?? `Trains ${stage.replaceAll('_', ' ')}`;
