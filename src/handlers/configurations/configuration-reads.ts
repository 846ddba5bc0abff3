/** Reads configurations, their versions and summaries, within the reach of the caller. */

import { timestampFromDate, timestampFromMs } from '@bufbuild/protobuf/wkt';
import {
  type Configuration,
  ConfigurationSchema,
} from '../../../gen/es/personalisation/v1/configuration_pb.js';
import {
  type ConfigurationService,
  ConfigurationSummarySchema,
  ConfigurationVersionSchema,
} from '../../../gen/es/personalisation/v1/configuration_service_pb.js';
import { DomainError } from '../../errors.ts';
import { decodeJson } from '../../formats/codec.ts';
import { diffDocuments } from '../../formats/diff.ts';
import {
  type ConfigurationHead,
  type ConfigurationRow,
  type ConfigurationVersionRow,
  findConfiguration,
  findConfigurationVersion,
  listConfigurationHeads,
  listConfigurationIds,
  listConfigurationVersions,
} from '../../repository/configurations/configurations.ts';
import type { Database } from '../../repository/database.ts';
import type { Call } from '../chain/call.ts';
import type { HandlersOf } from '../chain/implement.ts';
import { environmentsOf } from '../messages/environments-of.ts';
import { type PageRequest, readMessages } from '../messages/pages.ts';
import { mayRead } from './reach.ts';
import type { ConfigurationPeriod, ConfigurationReplica } from './replica/configuration-replica.ts';

const versionPages = { usual: 100, most: 1_000 };
const summaryPages = { usual: 1_000, most: 1_000 };

type ReadsOptions = { db: Database; replica: ConfigurationReplica };

export function createConfigurationReads({ db, replica }: ReadsOptions) {
  const readable = (call: Call, configurationId: string) =>
    mayRead(call, replica.content(configurationId)?.environments ?? []);

  return {
    async listConfigurations({ withSummaries, ...page }, call) {
      if (!withSummaries) {
        const ids = await listConfigurationIds(db);
        return { configurationIds: ids.filter((id) => readable(call, id)) };
      }
      const listed = await readSummaries(db, replica, page, call);
      const summaries = listed.summaries.filter(({ environments }) => mayRead(call, environments));
      const configurationIds = summaries.map(({ configurationId }) => configurationId);
      return { ...listed, configurationIds, summaries };
    },
    async getConfiguration({ configurationId, version }, call) {
      call.holdsOneElement = true;
      const row = await findRow(db, configurationId, version);
      if (!row?.document || !mayRead(call, environmentsOf(row.document)))
        throw unknownConfiguration(configurationId, version);
      return { configuration: messageOf(row) };
    },
    async diffConfigurationVersions({ configurationId, fromVersion, toVersion }, call) {
      const before = await findDocument(db, call, configurationId, fromVersion);
      const after = await findDocument(db, call, configurationId, toVersion);
      return { changes: listChanges(before, after) };
    },
    async listConfigurationVersions({ configurationId, ...page }, call) {
      if (!readable(call, configurationId)) throw unknownConfiguration(configurationId);
      const listed = await readVersions({ db, replica }, configurationId, page, call);
      if (listed.versions.length === 0) throw unknownConfiguration(configurationId);
      return listed;
    },
  } satisfies HandlersOf<typeof ConfigurationService>;
}

function listChanges(before: unknown, after: unknown) {
  return diffDocuments(before, after).map(({ pointer, ...values }) => ({
    pointer,
    beforeJson: JSON.stringify(values.before),
    afterJson: JSON.stringify(values.after),
  }));
}

type SummariesRequest = PageRequest & { configurationId?: string };

function readSummaries(
  db: Database,
  replica: ConfigurationReplica,
  { configurationId: onlyId, ...page }: SummariesRequest,
  call: Call,
) {
  return readMessages('summaries', page, call, {
    kinds: ['string'],
    list: (limit, after) => listConfigurationHeads(db, { limit, afterId: after?.[0], onlyId }),
    keyOf: ({ configurationId }) => [configurationId],
    chosen: ['summaries', onlyId ?? ''],
    limits: summaryPages,
    schema: ConfigurationSummarySchema,
    messageOf: ({ updatedAt, ...head }: ConfigurationHead) => {
      const content = replica.content(head.configurationId);
      return {
        ...head,
        ...content,
        environments: [...(content?.environments ?? [])],
        updateTime: timestampFromDate(updatedAt),
        periods: replica.periods(head.configurationId).map(periodMessage),
      };
    },
  });
}

function readVersions({ db, replica }: ReadsOptions, configurationId: string, page: PageRequest, call: Call) {
  /** A deletion has the environments of what it deleted. */
  const content = replica.content(configurationId);
  const isReadable = (document: unknown): boolean => {
    if (document !== undefined) return mayRead(call, environmentsOf(document));
    return content ? mayRead(call, content.environments) : call.reach === 'everywhere';
  };
  return readMessages('versions', page, call, {
    kinds: ['number'],
    list: (limit, after) =>
      listConfigurationVersions(db, configurationId, { limit, beforeVersion: after?.[0] }),
    keyOf: ({ version }) => [version],
    chosen: ['versions', configurationId],
    limits: versionPages,
    schema: ConfigurationVersionSchema,
    messageOf: (row) => versionMessage(row, isReadable(row.document)),
  });
}

/** @param isReadable Whether the caller may see who wrote the version, and why. */
function versionMessage(row: ConfigurationVersionRow, isReadable: boolean) {
  return {
    version: row.version,
    deletion: row.document === undefined,
    createTime: timestampFromDate(row.createdAt),
    clientId: (isReadable && row.clientId) || '',
    clientName: (isReadable && row.clientName) || '',
    comment: (isReadable && row.comment) || '',
  };
}

const periodMessage = ({ version, live, activeFromMs, activeUntilMs }: ConfigurationPeriod) => ({
  version,
  live,
  activeFrom: activeFromMs === undefined ? undefined : timestampFromMs(activeFromMs),
  activeUntil: activeUntilMs === undefined ? undefined : timestampFromMs(activeUntilMs),
});

/** Returns the document of a version [the newest]. @throws CONFIGURATION_UNKNOWN without one */
export async function findDocument(
  db: Database,
  call: Call,
  configurationId: string,
  version?: number,
): Promise<unknown> {
  const row = await findRow(db, configurationId, version);
  if (row?.document === undefined || !mayRead(call, environmentsOf(row.document)))
    throw unknownConfiguration(configurationId, version);
  return row.document;
}

async function findRow(
  db: Database,
  configurationId: string,
  version?: number,
): Promise<ConfigurationRow | undefined> {
  if (version === undefined) return findConfiguration(db, configurationId);
  const row = await findConfigurationVersion(db, configurationId, version);
  return row && { ...row, deleted: row.document === undefined, updatedAt: row.createdAt };
}

function messageOf(row: ConfigurationRow): Configuration {
  const { message } = decodeJson(ConfigurationSchema, row.document);
  message.version = row.version;
  message.updateTime = timestampFromDate(row.updatedAt);
  return message;
}

export function unknownConfiguration(configurationId: string, version?: number): DomainError {
  const which = version === undefined ? '' : ` version ${version}`;
  return new DomainError(
    'CONFIGURATION_UNKNOWN',
    `There is no configuration ${JSON.stringify(configurationId)}${which}.`,
    { metadata: { configuration_id: configurationId } },
  );
}
