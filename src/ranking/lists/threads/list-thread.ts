/** A thread that computes lists from replicated data and models in shared memory. */

import { workerData } from 'node:worker_threads';
import type { EnvironmentSettings } from '../../../deployment/deployment.ts';
import { serveWorker } from '../../runtime/worker-protocol.ts';
import { createKeepingListMaker } from '../list-maker.ts';
import { encodeAnswer, type ListAnswer } from './list-answer.ts';
import type { ListNews, ListRemark } from './list-news.ts';
import { createListReplica } from './list-replica.ts';
import { decodeTask, type ListTask } from './list-task.ts';

export type ListThreadSettings = { environments: readonly EnvironmentSettings[] };

const { environments } = workerData as ListThreadSettings;

serveWorker<ListTask, ListAnswer, ListNews, ListRemark>((voice) => {
  const replica = createListReplica({
    environments,
    onReady: voice.ready,
    onModelsReady: (environment, modelsId) => voice.notify({ kind: 'models ready', environment, modelsId }),
  });
  const made = createKeepingListMaker();
  return {
    perform(task, isCancelled) {
      const ingredients = { ...decodeTask(task, replica), isCancelled };
      return encodeAnswer(made.of(ingredients), ingredients.environment.catalog);
    },
    update: replica.learn,
  };
});
