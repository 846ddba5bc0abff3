/** A thread that computes row ranges for the training thread. */

import { constants, setPriority } from 'node:os';
import { type MessagePort, workerData } from 'node:worker_threads';
import { trainedEntries } from '../../ranking/models/registry.ts';
import type { RowStage } from '../../ranking/models/row-stages.ts';
import { type RangeTask, takeRanges } from './parallel-rows.ts';

if (process.platform === 'linux') setPriority(0, constants.priority.PRIORITY_LOW);

const stages = new Map(
  trainedEntries
    .flatMap(([, { rowStage }]) => rowStage ?? [])
    .map((stage) => [stage.name, stage as RowStage<object>]),
);

const { port } = workerData as { port: MessagePort };

port.on('message', ({ stage, ...task }: RangeTask) => {
  takeRanges({ ...task, stage: stages.get(stage)! }, (result) => {
    const { offsets, items, scores } = result.rows;
    port.postMessage(result, [offsets.buffer, items.buffer, scores.buffer] as ArrayBuffer[]);
  });
});
