import type { MessageInitShape } from '@bufbuild/protobuf';
import {
  type LearntBlendSchema,
  TrainingReason,
  TrainingSchema,
  TrainingState,
} from '../../../gen/es/personalisation/v1/training_pb.js';
import { TrainingService } from '../../../gen/es/personalisation/v1/training_service_pb.js';
import { DomainError } from '../../errors.ts';
import type { Actor } from '../../repository/audit/audit-entries.ts';
import type { Database } from '../../repository/database.ts';
import type { BlendFigures } from '../../repository/training/blend-figures.ts';
import {
  findServedVersion,
  listModelVersions,
  rollBackModels,
} from '../../repository/training/model-snapshots.ts';
import { findTraining, listTrainings, type Training } from '../../repository/training/trainings.ts';
import { implement } from '../chain/implement.ts';
import { notFound } from '../chain/refuse.ts';
import { actorOf } from '../messages/actor.ts';
import { readMessages } from '../messages/pages.ts';
import { enumValue, timeOf } from '../messages/values.ts';

export type Trainer = {
  request(environment: string, reason: 'demand', actor: Actor): Promise<Training>;
  /** Loads the published models. */
  follow(): Promise<void>;
};

const pageLimits = { usual: 20, most: 200 };

export function createTrainingHandlers({ db, trainer }: { db: Database; trainer: Trainer }) {
  return implement(TrainingService, {
    async trainModels({ environment }, call) {
      const training = await trainer.request(environment, 'demand', actorOf(call));
      return { training: trainingMessage(training) };
    },
    async listTrainings({ environment, ...page }, call) {
      const listed = await readMessages('trainings', page, call, {
        kinds: ['string'],
        list: (limit, after) => listTrainings(db, environment, limit, after?.[0]),
        keyOf: ({ trainingId }) => [trainingId],
        chosen: ['trainings', environment],
        limits: pageLimits,
        schema: TrainingSchema,
        messageOf: trainingMessage,
      });
      const served = await findServedVersion(db, environment);
      const kept = await listModelVersions(db, environment);
      for (const one of listed.trainings) one.restorable = isRestorable(one.version, kept, served?.version);
      return { ...listed, servedVersion: served?.version, held: served?.held };
    },
    async getTraining({ environment, trainingId }) {
      const training = await findTraining(db, environment, trainingId);
      if (training) {
        const kept = await listModelVersions(db, environment);
        const served = await findServedVersion(db, environment);
        const restorable = isRestorable(training.version ?? 0, kept, served?.version);
        return { training: { ...trainingMessage(training), restorable } };
      }
      throw notFound('TRAINING_UNKNOWN', 'training', trainingId, { environment, training_id: trainingId });
    },
    async rollBackModels({ environment, version: wanted }, call) {
      const version = await rollBackModels(db, environment, actorOf(call), wanted);
      if (version === undefined) {
        const which = wanted === undefined ? 'models before those in use' : `other kept models ${wanted}`;
        const message = `${JSON.stringify(environment)} has no ${which}.`;
        throw new DomainError('VERSION_CONFLICT', message, { metadata: { environment } });
      }
      await trainer.follow();
      return { version };
    },
  });
}

const isRestorable = (version: number, kept: readonly number[], served: number | undefined): boolean =>
  version > 0 && version !== served && kept.includes(version);

function trainingMessage(training: Training): MessageInitShape<typeof TrainingSchema> {
  const { questionCount, quality, servedQuality, requestedAt, startedAt, endedAt } = training;
  return {
    trainingId: training.trainingId,
    environment: training.environment,
    reason: enumValue(TrainingReason, training.reason),
    state: enumValue(TrainingState, training.state),
    stage: training.stage ?? '',
    progress: training.progress,
    node: training.node ?? '',
    attempts: training.attempts,
    requestTime: timeOf(requestedAt),
    startTime: timeOf(startedAt),
    endTime: timeOf(endedAt),
    decision: training.decision ?? '',
    version: training.version ?? 0,
    itemCount: training.itemCount ?? 0,
    eventCount: training.eventCount ?? 0,
    comparison:
      questionCount === null
        ? undefined
        : {
            ...{ questionCount, quality: quality ?? 0, servedQuality: servedQuality ?? 0 },
            hitCount: training.hitCount ?? undefined,
            servedHitCount: training.servedHitCount ?? undefined,
          },
    learntBlend: training.learntBlend ? blendMessage(training.learntBlend) : undefined,
  };
}

function blendMessage(figures: BlendFigures): MessageInitShape<typeof LearntBlendSchema> {
  const { questionCount, quality, models, pageTypes } = figures;
  const worths = Object.entries(models).map(([model, { weight, alone, without }]) => ({
    ...{ model, weight, qualityAlone: alone, qualityWithout: without },
  }));
  return {
    ...{ questionCount, quality },
    models: worths.sort((a, b) => b.weight - a.weight),
    pageTypes: Object.entries(pageTypes)
      .map(([pageType, weights]) => ({ pageType, weights }))
      .sort((a, b) => (a.pageType < b.pageType ? -1 : 1)),
  };
}
