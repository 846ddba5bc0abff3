/** The operations on imports of items. */

import type { MessageInitShape } from '@bufbuild/protobuf';
import { ImportSchema, ImportState } from '../../../gen/es/personalisation/v1/import_pb.js';
import {
  type ExportRejectedRecordsResponseSchema,
  ImportService,
  type StartImportRequest,
} from '../../../gen/es/personalisation/v1/import_service_pb.js';
import { DomainError } from '../../errors.ts';
import { parseMapping } from '../../formats/records/mapping/mapping.ts';
import type { Rows } from '../../formats/records/reading/rows.ts';
import { type Reason, rejectedHeading } from '../../formats/records/rejected.ts';
import type { Database } from '../../repository/database.ts';
import {
  cancelImport,
  findImport,
  type ImportName,
  insertImport,
  listImports,
  listParts,
  readRejected,
  type StoredImport,
  startImport,
  storePart,
} from '../../repository/imports/imports.ts';
import { implement } from '../chain/implement.ts';
import { refuse } from '../chain/refuse.ts';
import { inParts } from '../messages/message-parts.ts';
import { readMessages } from '../messages/pages.ts';
import { enumValue, timeOf } from '../messages/values.ts';
import type { Imports } from './run-imports.ts';

export type ImportHandlersOptions = { db: Database; imports: Pick<Imports, 'wake'> };

const mostPartBytes = 2 * 1_048_576;
const pageLimits = { usual: 20, most: 100 };

export function createImportHandlers({ db, imports }: ImportHandlersOptions) {
  const findOrRefuse = async (name: ImportName) =>
    (await findImport(db, name)) ?? refuseImport(name, 'There is no import');
  const answer = async (name: ImportName) => ({ import: importMessage(await findOrRefuse(name)) });
  return implement(ImportService, {
    async createImport({ environment, import: given }) {
      const { fileName, format, columns } = given!;
      const importId = await insertImport(db, { environment, fileName, format, columns });
      if (importId === undefined) throw tooMany();
      return answer({ environment, importId });
    },
    async uploadImportPart(part) {
      if (Buffer.byteLength(part.content) > mostPartBytes)
        refuse([{ pointer: '/content', detail: `Must be at most ${mostPartBytes} bytes of UTF-8.` }]);
      if (!(await storePart(db, part))) refuseImport(part, 'No part can be added to the import');
      return {};
    },
    async startImport(request) {
      const found = await findOrRefuse(request);
      const { partCount, mapping = '', itemType = null, validateOnly } = request;
      if (found.expiresAt === null) refuseImport(request, 'No file is left of the import');
      await checkStart(db, found, request);
      await startImport(db, found.importId, { partCount, mapping, itemType, validateOnly });
      imports.wake();
      return answer(request);
    },
    listImports: ({ environment, columns, ...page }, call) =>
      readMessages('imports', page, call, {
        kinds: ['number', 'uuid'],
        list: (limit, after) => listImports(db, { environment, ofColumns: columns }, limit, after),
        keyOf: ({ createdAtUs, importId }) => [createdAtUs, importId],
        chosen: ['imports', environment, ...columns],
        limits: pageLimits,
        schema: ImportSchema,
        messageOf: importMessage,
      }),
    getImport: answer,
    async cancelImport(name) {
      await cancelImport(db, name);
      return answer(name);
    },
    async *exportRejectedRecords(requests) {
      for await (const name of requests) yield* exportRejected(db, await findOrRefuse(name));
    },
  });
}

/** Refuses a mapping with errors, and a file without all of its parts. */
async function checkStart(
  db: Database,
  { importId }: StoredImport,
  { mapping = '', partCount }: StartImportRequest,
): Promise<void> {
  try {
    if (mapping !== '') parseMapping(mapping, 'mapping', 'items');
  } catch (error) {
    refuse((error as Error).message.split('\n').map((detail) => ({ pointer: '/mapping', detail })));
  }
  const parts = new Set(await listParts(db, importId));
  const missing = Array.from({ length: partCount }, (_, part) => part).filter((part) => !parts.has(part));
  const detail = `Part ${missing[0]} of the file is missing.`;
  refuse(missing.length > 0 ? [{ pointer: '/part_count', detail }] : []);
}

async function* exportRejected(
  db: Database,
  { importId, heading }: StoredImport,
): AsyncGenerator<MessageInitShape<typeof ExportRejectedRecordsResponseSchema>> {
  const head = rejectedHeading((heading ?? undefined) as Rows['heading']);
  yield {
    contentType: head === undefined ? 'application/x-ndjson' : 'text/csv',
    lines: head === undefined ? [] : [head],
  };
  for (let after = 0; ; ) {
    const range = await readRejected(db, importId, after);
    if (range === undefined) return;
    const lines = JSON.parse(range.records) as string[];
    for (const part of inParts(lines, ({ length }) => length)) yield { lines: part };
    after = range.through;
  }
}

function refuseImport({ environment, importId }: ImportName, what: string): never {
  throw new DomainError('IMPORT_UNKNOWN', `${what} ${JSON.stringify(importId)}.`, {
    metadata: { environment, import_id: importId },
  });
}

function tooMany(): DomainError {
  const message =
    'Five files of the environment are being uploaded or read. Try again when an import has ended.';
  return new DomainError('RATE_LIMITED', message, { metadata: { retry_after_seconds: '30' } });
}

function importMessage(stored: StoredImport): MessageInitShape<typeof ImportSchema> {
  const { importId, fileName, format, columns, mapping, validateOnly, progress, counts, failure } = stored;
  const { partCount } = stored;
  const { accepted = 0, fresh = 0, rejected = 0, skipped = 0, kept = 0 } = counts;
  return {
    ...{ importId, fileName, format, columns, mapping, validateOnly, progress, partCount, keptCount: kept },
    ...{ acceptedCount: accepted, newCount: fresh, rejectedCount: rejected, skippedCount: skipped },
    state: enumValue(ImportState, stored.state),
    causes: stored.causes as Reason[],
    failure: failure ?? '',
    createTime: timeOf(stored.createdAt),
    startTime: timeOf(stored.startedAt),
    endTime: timeOf(stored.endedAt),
    expiresAt: timeOf(stored.expiresAt),
  };
}
