/** The lists of a batch as a file. */

import { createClient } from '@connectrpc/connect';
import { BatchService } from '../../../gen/es/personalisation/v1/batch_service_pb.js';
import { saveText } from '../kit/save.ts';
import type { Connection } from '../service/transport.ts';

export type Format = 'csv' | 'ndjson';

const types: Record<Format, string> = { csv: 'text/csv', ndjson: 'application/x-ndjson' };
const lineEnds: Record<Format, string> = { csv: '\r\n', ndjson: '\n' };

type Wanted = { environment: string; batchId: string; format: Format };

/** @param onLines Told how many lines there are so far. */
export async function saveResults(
  { transport }: Connection,
  { environment, batchId, format }: Wanted,
  onLines: (count: number) => void,
): Promise<void> {
  const parts: string[] = [];
  const end = lineEnds[format];
  let count = 0;
  const answers = createClient(BatchService, transport).exportBatchResults({ environment, batchId, format });
  for await (const { lines } of answers) {
    if (lines.length === 0) continue;
    parts.push(lines.join(end) + end);
    count += lines.length;
    onLines(count);
  }
  saveText(`batch-${batchId}.${format}`, parts, types[format]);
}
