/** Stored records of a subject: the first ones for the page, all for the export. */

import { createClient } from '@connectrpc/connect';
import { useQuery } from '@tanstack/react-query';
import { UserService } from '../../../gen/es/personalisation/v1/user_service_pb.js';
import { saveText } from '../kit/files.ts';
import { useConsole } from '../service/console-context.ts';
import type { Connection } from '../service/transport.ts';

export type Subject = { environment: string; kind: 'user' | 'device'; id: string };

export type StoredRecord = { record: string } & Record<string, unknown>;

/** Records that a page reads. */
export const mostShown = 2_000;

export async function* readLines({ transport }: Connection, { environment, kind, id }: Subject) {
  const users = createClient(UserService, transport);
  const parts =
    kind === 'user'
      ? users.exportUser({ environment, userId: id })
      : users.exportDevice({ environment, deviceId: id });
  for await (const { json } of parts) yield json;
}

async function readShown(connection: Connection, subject: Subject): Promise<StoredRecord[]> {
  const records: StoredRecord[] = [];
  for await (const lines of readLines(connection, subject)) {
    for (const line of lines) records.push(JSON.parse(line));
    if (records.length >= mostShown) break;
  }
  return records;
}

/** Reads once, because the audit log records each access. */
export function useRecords(subject: Subject) {
  const { connection } = useConsole();
  return useQuery({
    queryKey: ['person', subject],
    queryFn: () => readShown(connection, subject),
    enabled: subject.id !== '',
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
}

export async function saveRecords(connection: Connection, subject: Subject): Promise<void> {
  const parts: string[] = [];
  for await (const lines of readLines(connection, subject))
    parts.push(lines.map((line) => `${line}\n`).join(''));
  saveText(`${subject.kind}.ndjson`, parts, 'application/x-ndjson');
}
