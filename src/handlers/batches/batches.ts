/** The operations on batches of lists. */

import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Logger } from 'pino';
import { BatchSchema, BatchState } from '../../../gen/es/personalisation/v1/batch_pb.js';
import {
  BatchService,
  type ExportBatchResultsRequest,
  type ExportBatchResultsResponseSchema,
} from '../../../gen/es/personalisation/v1/batch_service_pb.js';
import type { LimitSettings } from '../../deployment/deployment.ts';
import { checkRegistries } from '../../deployment/registered-values.ts';
import { checkVariables } from '../../deployment/request-lists.ts';
import { DomainError } from '../../errors.ts';
import type { Answered } from '../../jobs/batches/answered.ts';
import type { Batches } from '../../jobs/batches/batches.ts';
import type { ServingEnvironment } from '../../ranking/environment/serving-environment.ts';
import { nextTurn } from '../../ranking/runtime/slices.ts';
import { createSparingWarning } from '../../ranking/runtime/sparing-warning.ts';
import { findAudience } from '../../repository/audiences/audiences.ts';
import { listParts, subjectsPerPart } from '../../repository/batches/batch-parts.ts';
import {
  type Batch,
  cancelBatch,
  countAnswered,
  findBatch,
  listBatches,
} from '../../repository/batches/batches.ts';
import type { Database } from '../../repository/database.ts';
import type { Call } from '../chain/call.ts';
import { implement } from '../chain/implement.ts';
import { refuse } from '../chain/refuse.ts';
import { inParts } from '../messages/message-parts.ts';
import { readMessages } from '../messages/pages.ts';
import { enumValue, timeOf } from '../messages/values.ts';
import { checkFields } from '../recommendations/shown-items.ts';
import { checkBatch, keptRequest, peopleOf, readKept } from './batch-request.ts';
import { bytesOf, csvHead, csvLines, jsonLine, resultMessage, type Showing } from './batch-results.ts';

export type BatchHandlersOptions = {
  db: Database;
  batches: Pick<Batches, 'create'>;
  environments: ReadonlyMap<string, ServingEnvironment>;
  limits: LimitSettings;
  clock: () => number;
  logger: Logger;
};

const pageLimits = { usual: 20, most: 200 };

export function createBatchHandlers(options: BatchHandlersOptions) {
  const { db, batches, environments, limits, clock, logger } = options;
  const warn = createSparingWarning(logger, 'A batch has a value that is not registered.');
  const settingsOf = (environment: string) => environments.get(environment)!.settings;
  const findOrRefuse = async (environment: string, batchId: string): Promise<Batch> =>
    (await findBatch(db, environment, batchId)) ?? refuseBatch(environment, batchId);

  return implement(BatchService, {
    async createBatch({ environment, batch }) {
      const settings = settingsOf(environment);
      const request = batch!;
      refuse([
        ...checkBatch(request, settings),
        ...checkVariables(request, limits.variableBytes),
        ...checkRegistries(request, settings, warn),
        ...checkFields(request.fields, settings),
      ]);
      const { audienceId } = request;
      if (audienceId && !(await findAudience(db, environment, audienceId))) {
        const detail = `There is no audience ${JSON.stringify(audienceId)}.`;
        refuse([{ pointer: '/audience_id', detail }]);
      }
      const created = await batches.create(environment, keptRequest(request), peopleOf(request));
      return { batch: batchMessage(created) };
    },
    listBatches: ({ environment, ...page }, call) =>
      readMessages('batches', page, call, {
        kinds: ['number', 'uuid'],
        list: (limit, after) => listBatches(db, environment, limit, after),
        keyOf: ({ requestedAtUs, batchId }) => [requestedAtUs, batchId],
        chosen: ['batches', environment],
        limits: pageLimits,
        schema: BatchSchema,
        messageOf: batchMessage,
      }),
    async getBatch({ environment, batchId }) {
      return {
        batch: batchMessage(await findOrRefuse(environment, batchId)),
      };
    },
    async cancelBatch({ environment, batchId }) {
      const { lifetimeDays } = settingsOf(environment).batches;
      const cancelled = await cancelBatch(db, environment, batchId, lifetimeDays);
      const batch = batchMessage(cancelled ?? refuseBatch(environment, batchId));
      return { batch };
    },
    async *exportBatchResults(requests, call) {
      for await (const asked of requests) {
        const batch = await findOrRefuse(asked.environment, asked.batchId);
        const serving = environments.get(asked.environment)!;
        const showing = { request: readKept(batch.request), serving, nowMs: clock() };
        yield* exportResults(db, asked, showing, call);
      }
    },
  });
}

/** Exports part by part as the caller reads; other calls run in between. */
async function* exportResults(
  db: Database,
  asked: ExportBatchResultsRequest,
  showing: Showing,
  { transport }: Pick<Call, 'transport'>,
): AsyncGenerator<MessageInitShape<typeof ExportBatchResultsResponseSchema>> {
  const { environment, batchId, offset = 1, limit = Number.POSITIVE_INFINITY } = asked;
  const format = asked.format ?? (transport === 'http' ? 'ndjson' : undefined);
  const { fields } = showing.request;
  if (format === 'csv' && offset === 1) yield { lines: [csvHead(showing.request)] };
  const end = offset - 1 + limit;
  for (let part = Math.floor((offset - 1) / subjectsPerPart); part * subjectsPerPart < end; part += 1) {
    const [found] = await listParts(db, { environment, batchId }, part, 1);
    if (found === undefined || found.part !== part || found.results === null) return;
    const first = part * subjectsPerPart;
    const answers = JSON.parse(found.results) as (Answered | null)[];
    const results = answers.flatMap((answered, place) => {
      const at = first + place + 1;
      const isWanted = answered !== null && at >= offset && at <= end;
      return isWanted ? [resultMessage(answered, at, showing)] : [];
    });
    if (format === undefined) {
      for (const some of inParts(results, bytesOf)) yield { results: some };
    } else {
      const texts =
        format === 'csv' ? results.flatMap((result) => csvLines(result, fields)) : results.map(jsonLine);
      for (const lines of inParts(texts, (text) => text.length)) yield { lines };
    }
    await nextTurn();
  }
}

function refuseBatch(environment: string, batchId: string): never {
  const message = `There is no batch ${JSON.stringify(batchId)}, or it has expired.`;
  throw new DomainError('BATCH_UNKNOWN', message, { metadata: { environment, batch_id: batchId } });
}

function batchMessage(batch: Batch): MessageInitShape<typeof BatchSchema> {
  const { peopleCount, state, startedAt, endedAt, expiresAt } = batch;
  const answeredCount = countAnswered(batch);
  const share = peopleCount === 0 ? 0 : answeredCount / peopleCount;
  return {
    batchId: batch.batchId,
    state: enumValue(BatchState, state === 'filling' ? 'queued' : state),
    progress: state === 'done' ? 1 : share,
    peopleCount,
    answeredCount,
    request: readKept(batch.request),
    schedule: batch.schedule ?? '',
    failure: batch.failure ?? '',
    requestTime: timeOf(batch.requestedAt),
    startTime: timeOf(startedAt),
    endTime: timeOf(endedAt),
    expiresAt: timeOf(expiresAt),
  };
}
