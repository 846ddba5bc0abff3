/** The service's configurations: stored ones over the documented paths, which keep every spelling; all else over gRPC. */

import type { Configuration } from '../../../gen/grpc/personalisation/v1/configuration.ts';
import {
  ConfigurationServiceClient,
  type ConfigurationVersion,
  type ConfigurationWarning,
  type LintConfigurationResponse,
  type ListConfigurationVersionsResponse,
  type RollBackConfigurationResponse,
  SimulateConfigurationRequest,
  type SimulateConfigurationResponse,
} from '../../../gen/grpc/personalisation/v1/configuration_service.ts';
import { ask, type Connection } from '../connection/connect.ts';
import type { Http } from '../connection/http.ts';
import { readPages } from '../connection/pages.ts';
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

/** Writes only what is as it was when the step was planned. @throws KnownFailure VERSION_CONFLICT when it is not. */
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

export async function lint(
  connection: Connection,
  document: ConfigurationDocument,
): Promise<ConfigurationWarning[]> {
  const request = { configuration: await toMessage(document) };
  const { warnings } = await ask<LintConfigurationResponse>((call, callback) =>
    connection
      .client(ConfigurationServiceClient)
      .lintConfiguration(request, connection.metadata, call, callback),
  );
  return warnings;
}

export type SimulationInput = { environment: string; document: ConfigurationDocument; requestCount?: number };

export async function simulate(
  connection: Connection,
  { environment, document, requestCount }: SimulationInput,
): Promise<SimulateConfigurationResponse> {
  const request = SimulateConfigurationRequest.create({ environment, request_count: requestCount });
  request.draft = await toMessage(document);
  return ask<SimulateConfigurationResponse>((call, callback) =>
    connection
      .client(ConfigurationServiceClient)
      .simulateConfiguration(request, connection.metadata, call, callback),
  );
}

/** Newest first. */
export async function listVersions(connection: Connection, id: string): Promise<ConfigurationVersion[]> {
  const service = connection.client(ConfigurationServiceClient);
  const pages = readPages((page_token) =>
    ask<ListConfigurationVersionsResponse>((call, callback) =>
      service.listConfigurationVersions(
        { configuration_id: id, page_token },
        connection.metadata,
        call,
        callback,
      ),
    ),
  );
  const versions: ConfigurationVersion[] = [];
  for await (const page of pages) versions.push(...page.versions);
  return versions;
}

/** The version that was written. */
export async function rollBack(
  connection: Connection,
  request: { configuration_id: string; version: number; comment?: string },
): Promise<number> {
  const { version } = await ask<RollBackConfigurationResponse>((call, callback) =>
    connection
      .client(ConfigurationServiceClient)
      .rollBackConfiguration(request, connection.metadata, call, callback),
  );
  return version;
}

/** What reads every spelling is loaded here: most commands have nothing to read. */
async function toMessage(document: ConfigurationDocument): Promise<Configuration> {
  return (await import('./message.ts')).toMessage(document);
}
