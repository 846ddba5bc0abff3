/** A person's records, read as far as a page shows them, or whole for a file. */

import { createClient } from '@connectrpc/connect';
import { useQuery } from '@tanstack/react-query';
import { UserService } from '../../../gen/es/personalisation/v1/user_service_pb.js';
import { saveText } from '../kit/save.ts';
import { useConsole } from '../service/console-context.ts';
import type { Connection } from '../service/transport.ts';

export type Who = { environment: string; kind: 'user' | 'device'; id: string };

export type StoredRecord = { record: string } & Record<string, unknown>;

/** A person of many events is read in part. */
export const mostShown = 2_000;

export async function* readLines({ transport }: Connection, { environment, kind, id }: Who) {
  const users = createClient(UserService, transport);
  const parts =
    kind === 'user'
      ? users.exportUser({ environment, userId: id })
      : users.exportDevice({ environment, deviceId: id });
  for await (const { json } of parts) yield json;
}

async function readShown(connection: Connection, who: Who): Promise<StoredRecord[]> {
  const records: StoredRecord[] = [];
  for await (const lines of readLines(connection, who)) {
    for (const line of lines) records.push(JSON.parse(line));
    if (records.length >= mostShown) break;
  }
  return records;
}

/** Asked for once, since each look is recorded. */
export function useRecords(who: Who) {
  const { connection } = useConsole();
  return useQuery({
    queryKey: ['person', who],
    queryFn: () => readShown(connection, who),
    enabled: who.id !== '',
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
}

export async function saveRecords(connection: Connection, who: Who): Promise<void> {
  const parts: string[] = [];
  for await (const lines of readLines(connection, who)) parts.push(lines.map((line) => `${line}\n`).join(''));
  saveText(`${who.kind}.ndjson`, parts, 'application/x-ndjson');
}
