/** Configurations of the service: documents over HTTP, which keeps every spelling; everything else over gRPC. */

import { ConfigurationSchema } from '../../../gen/es/personalisation/v1/configuration_pb.js';
import {
  type ConfigurationDraft,
  ConfigurationService,
  type ConfigurationVersion,
  type ConfigurationWarning,
} from '../../../gen/es/personalisation/v1/configuration_service_pb.js';
import type { Connection } from '../connection/connect.ts';
import { ServiceFailure } from '../connection/failure.ts';
import type { Http } from '../connection/http.ts';
import { joinParts, momentOf } from '../output.ts';
import type { ConfigurationDocument } from './documents.ts';
import type { Step, Stored } from './plan.ts';

export async function readStored(http: Http): Promise<Map<string, Stored>> {
  const ids = (await http.request('GET', '/configurations')) as string[];
  const stored = new Map<string, Stored>();
  for (const id of ids) {
    const { json, etag } = await http.exchange('GET', pathOf(id));
    stored.set(id, { document: json as ConfigurationDocument, etag: etag! });
  }
  return stored;
}

/** Writes only what is unchanged since the step was planned. @throws ServiceFailure VERSION_CONFLICT otherwise. */
export async function carryOut(http: Http, step: Step, comment: string | undefined): Promise<void> {
  const path = `${pathOf(step.id)}${comment === undefined ? '' : `?comment=${encodeURIComponent(comment)}`}`;
  const expected: Record<string, string> =
    step.kind === 'create' ? { 'if-none-match': '*' } : { 'if-match': step.etag };
  if (step.kind === 'delete') await http.exchange('DELETE', path, { headers: expected });
  else await http.exchange('PUT', path, { body: step.document, headers: expected });
}

export function pathOf(id: string): string {
  return `/configurations/${encodeURIComponent(id)}`;
}

/** Reads any documented spelling. @throws ServiceFailure with the pointers of all faults. */
export async function toMessage(document: ConfigurationDocument) {
  const { decodeJson } = await import('../../formats/codec.ts');
  const { message, violations, reason } = decodeJson(ConfigurationSchema, document);
  if (reason) throw new ServiceFailure({ reason, message: 'The configuration is malformed.', violations });
  return message;
}

/** Returns the warnings about a document, one line each. */
export async function lint(
  connection: Connection,
  id: string,
  document: ConfigurationDocument,
): Promise<string[]> {
  const request = { configuration: await toMessage(document) };
  const { warnings } = await connection.client(ConfigurationService).lintConfiguration(request);
  return warnings.map((warning) => describeWarning(id, warning));
}

export function describeWarning(id: string, { pointer, kind, detail }: ConfigurationWarning): string {
  return `${id} ${pointer}: ${kind}: ${detail}`;
}

/** Returns one line: number, time, author, and comment of a version. */
export function describeVersion(row: ConfigurationVersion): string {
  const { version, createTime, clientId, comment, deletion } = row;
  const author = clientId || 'the service';
  return joinParts([
    String(version).padStart(5),
    momentOf(createTime),
    author,
    deletion && '(deletion)',
    comment,
  ]);
}

/** Returns one line: ID, version that the draft changes, time and author. */
export function describeDraft({ baseVersion, updateTime, ...draft }: ConfigurationDraft): string {
  const base = baseVersion > 0 ? `changes version ${baseVersion}` : 'new';
  return joinParts([draft.configurationId, base, momentOf(updateTime), draft.clientId]);
}
