/** Lists the environments that a caller has access to. */

import { EnvironmentService } from '../../../gen/es/personalisation/v1/environment_service_pb.js';
import type { EnvironmentSettings } from '../../deployment/deployment.ts';
import type { ServingEnvironment } from '../../ranking/environment/serving-environment.ts';
import type { Caller } from '../../security/caller.ts';
import { implement } from '../chain/implement.ts';

export function createEnvironmentHandlers(served: ReadonlyMap<string, ServingEnvironment>) {
  return implement(EnvironmentService, {
    async listEnvironments(_, { caller }) {
      const reached = [...served.values()].filter(({ settings }) => reaches(caller, settings.name));
      return {
        environments: reached.map(({ settings, catalog, vectors }) => ({
          ...describe(settings),
          itemCount: catalog.itemCount,
          vectors: vectors.sizes().map((size) => ({ ...size, bytes: BigInt(size.bytes) })),
        })),
      };
    },
  });
}

function reaches(caller: Caller | undefined, environment: string): boolean {
  const places = (caller?.scopes ?? []).map((scope) => scope.slice(scope.indexOf(':') + 1));
  return places.some((place) => place === '*' || place === environment);
}

function describe(settings: EnvironmentSettings) {
  const { name, defaultLanguage, timeZone, informationField = '', currency = '', audiences } = settings;
  const { needsApproval: approvalRequired } = settings;
  return {
    name,
    defaultLanguage,
    timeZone,
    informationField,
    currency,
    approvalRequired,
    itemTypes: Array.from(settings.itemTypes.values(), (itemType) => ({
      name: itemType.name,
      properties: Array.from(itemType.properties.values(), ({ searchWeight, ...property }) => ({
        ...property,
        searchable: searchWeight !== undefined,
      })),
    })),
    filterFields: [...settings.filterFields],
    returnedFields: [...settings.returnedFields],
    integrationTypes: [...settings.integrationTypes],
    pageTypes: [...(settings.pageTypes?.values ?? [])],
    channels: [...(settings.channels?.values ?? [])],
    metricSegments: [...settings.metricSegments],
    listNames: [...(settings.listNames?.values ?? [])],
    userGroups: shares(settings.userGroups),
    versions: shares(settings.versions),
    batchSchedules: settings.batches.schedules.map(({ name: scheduleName, timesOfDay }) => ({
      name: scheduleName,
      times: timesOfDay.map(timeOfDay),
    })),
    audienceDefaults: { ...audiences, configurationId: audiences.configurationId ?? '' },
  };
}

const two = (value: number): string => String(value).padStart(2, '0');

/** @param minutes Minutes after midnight. */
const timeOfDay = (minutes: number): string => `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;

function shares(arms: readonly { name: string; share: number }[]) {
  const sum = arms.reduce((total, { share }) => total + share, 0);
  return arms.map(({ name, share }) => ({ name, share: share / sum }));
}
