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
  more: 'Show more',
  train: 'Train now',
  rollBack: 'Go back',
  rollBackTitle: (version: number) => `Go back to the models before version ${version}?`,
  rollBackLead:
    'Every node serves them within seconds, and nothing is trained by itself until somebody asks for a training.',
  training: 'Training',
  why: 'Why:',
  version: (version: number) => `Version ${version}`,
  gone: 'No such training',
  goneLead: 'The last 200 trainings are kept; this one is none of them.',
  events: 'events read',
  items: 'items read',
  quality: 'quality, NDCG@20',
  servedQuality: 'of what was in use',
  learnt: 'What the blend learnt',
  learntLead: (quality: string, best: string, alone: string) =>
    `The blend answers with NDCG@20 ${quality}; the best single model, “${best}”, alone with ${alone}.`,
  learntFrom: (count: string) =>
    `Measured on ${count} questions about what people did next. The line marks the blend.`,
  withoutTitle: 'What the blend would lose without this model',
  pageTypes: 'Weights of their own:',
  nothingLearnt: 'No blend was learnt',
  nothingLearntLead:
    'Too few events were held back to learn from; the weights that a new environment begins with are in use.',
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
