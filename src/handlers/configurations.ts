/** The configuration operations. */

import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type Configuration, ConfigurationSchema } from '../../gen/es/personalisation/v1/configuration_pb.js';
import {
  ConfigurationService,
  CreateConfigurationResponseSchema,
  DeleteConfigurationResponseSchema,
  GetConfigurationResponseSchema,
  ListConfigurationsResponseSchema,
  ListConfigurationVersionsResponseSchema,
  PutConfigurationResponseSchema,
} from '../../gen/es/personalisation/v1/configuration_service_pb.js';
import type { ConfigurationReplica } from '../catalog/configuration-replica.ts';
import { type Deployment, itemFields } from '../deployment/deployment.ts';
import { DomainError } from '../errors.ts';
import { nearestName } from '../nearest-name.ts';
import {
  type ConfigurationRow,
  deleteConfiguration,
  findConfiguration,
  findConfigurationVersion,
  listConfigurationIds,
  listConfigurationVersions,
  saveConfiguration,
} from '../repository/configurations.ts';
import type { Database } from '../repository/database.ts';
import { decodeJson, encodeJson, verbatimOf } from '../rest/codec.ts';
import type { Configuration as Rules } from '../rules/types.ts';
import type { Call } from './call.ts';
import { parseConfiguration } from './configuration-grammar.ts';
import { implement } from './implement.ts';
import { refuse } from './operations.ts';
import { settlePointer } from './pointers.ts';

const defaultVersionLimit = 100;

export type ConfigurationHandlersOptions = {
  db: Database;
  deployment: Deployment;
  replica: ConfigurationReplica;
};

export function createConfigurationHandlers({ db, deployment, replica }: ConfigurationHandlersOptions) {
  const knownKeys = metadataKeys(deployment);

  const store = async (
    configuration: Configuration,
    write: { expectedVersion?: number; comment?: string },
    call: Call,
  ) => {
    const configurationId = configuration.configurationId!;
    const document = { ...documentOf(configuration), configuration_id: configurationId };
    checkConfiguration(configuration, document, knownKeys);
    const version = await saveConfiguration(db, {
      configurationId,
      document,
      clientId: call.caller?.clientId,
      ...write,
    });
    replica.apply({ configurationId, version, deleted: false, document, updatedAt: new Date() });
    return version;
  };

  return implement(ConfigurationService, {
    async listConfigurations() {
      return create(ListConfigurationsResponseSchema, { configurationIds: await listConfigurationIds(db) });
    },
    async getConfiguration({ configurationId, version }) {
      const row =
        version === undefined
          ? await findConfiguration(db, configurationId)
          : await findVersion(db, configurationId, version);
      if (!row?.document) throw unknownConfiguration(configurationId, version);
      return create(GetConfigurationResponseSchema, { configuration: messageOf(row) });
    },
    async createConfiguration({ configuration, comment }, call) {
      if (!configuration!.configurationId) refuse([{ pointer: '/configuration_id', detail: 'Is required.' }]);
      return create(CreateConfigurationResponseSchema, {
        version: await store(configuration!, { comment }, call),
      });
    },
    async putConfiguration({ configurationId, configuration, expectedVersion, comment }, call) {
      const given = configuration!.configurationId;
      if (given !== undefined && given !== configurationId) {
        refuse([
          {
            pointer: '/configuration_id',
            detail: `Must be ${JSON.stringify(configurationId)}, as in the path, or absent.`,
          },
        ]);
      }
      configuration!.configurationId = configurationId;
      const version = await store(configuration!, { expectedVersion, comment }, call);
      return create(PutConfigurationResponseSchema, { version });
    },
    async deleteConfiguration({ configurationId, expectedVersion, comment }, call) {
      const write = { configurationId, expectedVersion, comment, clientId: call.caller?.clientId };
      const version = await deleteConfiguration(db, write);
      if (version === undefined) throw unknownConfiguration(configurationId);
      replica.apply({ configurationId, version, deleted: true, updatedAt: new Date() });
      return create(DeleteConfigurationResponseSchema);
    },
    async listConfigurationVersions({ configurationId, limit, beforeVersion }) {
      const page = { limit: limit ?? defaultVersionLimit, beforeVersion };
      const rows = await listConfigurationVersions(db, configurationId, page);
      if (rows.length === 0 && beforeVersion === undefined) throw unknownConfiguration(configurationId);
      const versions = rows.map((row) => ({
        version: row.version,
        deletion: row.document === undefined,
        createTime: row.createdAt.toISOString(),
        clientId: row.clientId ?? '',
        comment: row.comment ?? '',
      }));
      return create(ListConfigurationVersionsResponseSchema, { versions });
    },
  });
}

async function findVersion(
  db: Database,
  configurationId: string,
  version: number,
): Promise<ConfigurationRow | undefined> {
  const row = await findConfigurationVersion(db, configurationId, version);
  return row && { ...row, deleted: row.document === undefined, updatedAt: row.createdAt };
}

function documentOf(configuration: Configuration): Record<string, unknown> {
  return (verbatimOf(configuration) ?? encodeJson(ConfigurationSchema, configuration)) as Record<
    string,
    unknown
  >;
}

function messageOf(row: ConfigurationRow): Configuration {
  const { message } = decodeJson(ConfigurationSchema, row.document);
  message.version = row.version;
  message.updateTime = timestampFromDate(row.updatedAt);
  return message;
}

/** Rules of a stored document; it was checked when it was stored. */
export function rulesOf(document: unknown): Rules {
  const { message, violations } = decodeJson(ConfigurationSchema, document);
  if (violations.length > 0) throw new Error(`${violations[0].pointer}: ${violations[0].detail}`);
  return parseConfiguration(message).configuration;
}

/** All keys that conditions may use; item attributes are free. */
function metadataKeys(deployment: Deployment): Set<string> {
  const keys = new Set(itemFields);
  for (const { properties } of deployment.environments.values()) {
    for (const name of properties.keys()) keys.add(name);
  }
  return keys;
}

function checkConfiguration(configuration: Configuration, document: unknown, knownKeys: Set<string>): void {
  const { violations, keys } = parseConfiguration(configuration);
  refuse(violations.map(({ pointer, detail }) => ({ pointer: settlePointer(document, pointer), detail })));
  for (const [key, pointer] of keys) {
    if (knownKeys.has(key) || /^item_attributes\../.test(key)) continue;
    throw unknownKey(key, settlePointer(document, pointer), knownKeys);
  }
}

function unknownKey(key: string, pointer: string, knownKeys: Set<string>): DomainError {
  const nearest = nearestName(key, knownKeys, Number.POSITIVE_INFINITY);
  const detail = `No environment declares the metadata key ${JSON.stringify(key)}.${nearest ? ` Did you mean ${nearest}?` : ''}`;
  const metadata: Record<string, string> = nearest ? { key, nearest } : { key };
  return new DomainError('METADATA_KEY_UNKNOWN', detail, { metadata, violations: [{ pointer, detail }] });
}

function unknownConfiguration(configurationId: string, version?: number): DomainError {
  const which = version === undefined ? '' : ` version ${version}`;
  return new DomainError(
    'CONFIGURATION_UNKNOWN',
    `There is no configuration ${JSON.stringify(configurationId)}${which}.`,
    { metadata: { configuration_id: configurationId } },
  );
}
