/** Converts audience requests for the job, and checks them against the catalogue. */

import type { JsonObject } from '@bufbuild/protobuf';
import type { AudienceRequest } from '../../../gen/es/personalisation/v1/audience_pb.js';
import type { EnvironmentSettings, LimitSettings } from '../../deployment/deployment.ts';
import { checkVariables } from '../../deployment/request-lists.ts';
import { DomainError, pointerStep, type Violation } from '../../errors.ts';
import {
  itemKey,
  type NamedTargeting,
  type PromotedKey,
  type Restriction,
  type Suppression,
} from '../../jobs/audiences/audience-request.ts';
import { nearestName } from '../../nearest-name.ts';
import type { ServingEnvironment } from '../../ranking/environment/serving-environment.ts';
import { createVariableLookup, toVariable } from '../../ranking/lists/variables.ts';
import type { ActiveConfigurations } from '../../ranking/rules/active-configuration.ts';
import { bindConfiguration } from '../../ranking/rules/bind-configuration.ts';
import type { ItemSet } from '../../ranking/rules/match-sets.ts';
import { nextTurn } from '../../ranking/runtime/slices.ts';
import type { AudienceRow } from '../../repository/audiences/audiences.ts';
import { refuse } from '../chain/refuse.ts';

export type AudienceContext = {
  environment: ServingEnvironment;
  configurations: ActiveConfigurations;
  limits: Pick<LimitSettings, 'variableBytes'>;
  nowMs: number;
};

const dayMs = 86_400_000;

export async function toTargeting(
  request: AudienceRequest,
  context: AudienceContext,
): Promise<NamedTargeting> {
  const { settings } = context.environment;
  const { promotion, violations } = findPromotion(request, context);
  refuse([
    ...checkRequest(request, settings),
    ...checkVariables(request, context.limits.variableBytes, '/audience'),
    ...violations,
  ]);
  const mailedDays = request.excludeMailedWithinDays ?? settings.audiences.excludeMailedWithinDays;
  return {
    environment: settings.name,
    promotion,
    integrationType: request.integrationType,
    suppression: {
      bought: request.excludeBought ?? settings.audiences.excludeBought,
      mailedSinceSeconds: mailedDays > 0 ? (context.nowMs - mailedDays * dayMs) / 1000 : 0,
      mailings: request.mailings,
    },
    restrictions: await restrictionsOf(request, context),
    configuration: namedConfiguration(request),
    today: Math.floor(context.nowMs / dayMs),
    halfLifeDays: settings.audiences.halfLifeDays,
    audienceName: request.audienceName,
    holdOutShare: request.holdOutShare ?? settings.audiences.holdOutShare,
    salt: settings.salt,
  };
}

function namedConfiguration({ configurationId, variables = {} }: AudienceRequest) {
  return configurationId ? { configurationId, variables } : undefined;
}

function checkRequest(request: AudienceRequest, { integrationTypes }: EnvironmentSettings): Violation[] {
  const violations: Violation[] = [];
  const { integrationType, limit, audienceSize } = request;
  if (integrationTypes.size > 0 && !integrationTypes.has(integrationType)) {
    const nearest = nearestName(integrationType, [...integrationTypes]);
    violations.push({
      pointer: '/audience/integration_type',
      detail: `${JSON.stringify(integrationType)} is not an integration type of the environment${nearest ? `; did you mean ${JSON.stringify(nearest)}?` : '.'}`,
    });
  }
  if (limit !== undefined && limit > audienceSize!) {
    violations.push({ pointer: '/audience/limit', detail: 'Must not be above audience_size.' });
  }
  return violations;
}

function findPromotion(
  request: AudienceRequest,
  { environment: { catalog, settings }, nowMs }: AudienceContext,
) {
  const promotion = new Map<number, PromotedKey>();
  const violations: Violation[] = [];
  for (const [i, { id, itemType }] of request.promotion.entries()) {
    const pointer = `/audience/promotion/${i}`;
    const itemIndex = catalog.indexOfId(id, itemType || undefined);
    if (itemIndex === undefined) {
      const of = itemType ? ` of type ${JSON.stringify(itemType)}` : '';
      violations.push({ pointer, detail: `The catalogue holds no item ${JSON.stringify(id)}${of}.` });
      continue;
    }
    if (catalog.expiresAt(itemIndex) <= nowMs)
      violations.push({ pointer, detail: `Item ${JSON.stringify(id)} has expired.` });
    const type = settings.itemTypes.get(catalog.itemTypeAt(itemIndex));
    promotion.set(itemIndex, {
      itemType: catalog.itemTypeAt(itemIndex),
      itemId: id,
      consumedBy: type && !type.reconsumable ? [...type.consumedBy] : undefined,
    });
  }
  return { promotion: [...promotion.values()], violations };
}

/** Returns the constraints of the configuration that restricts the users, if there is one. */
async function restrictionsOf(request: AudienceRequest, context: AudienceContext): Promise<Restriction[]> {
  const { environment, configurations, nowMs } = context;
  const { catalog, matchSets, settings } = environment;
  const configurationId = request.configurationId || settings.audiences.configurationId;
  if (configurationId === undefined) return [];
  const configuration = configurations.find(configurationId, settings.name);
  if (!configuration) {
    const detail = `There is no configuration ${JSON.stringify(configurationId)}.`;
    refuse([{ pointer: '/audience/configuration_id', detail }]);
  }
  const given = (request.variables ?? {}) as Record<string, unknown>;
  const readRequest = (name: string) => (Object.hasOwn(given, name) ? toVariable(given[name]) : undefined);
  const variables = createVariableLookup({ readRequest, catalog, nowMs });
  const binding = bindConfiguration(configuration!.rules, { catalog, matchSets, variables, nowMs });
  if (binding.outcome === 'missing') throw missingVariable(configurationId, binding.variables);
  const restrictions: Restriction[] = [];
  for (const rule of binding.rules) {
    if (rule.kind !== 'must' && rule.kind !== 'quota') continue;
    const { min, max } = rule.kind === 'quota' ? rule : { min: 1, max: Number.POSITIVE_INFINITY };
    restrictions.push({ itemKeys: await keysIn(rule.set, environment), min, max });
  }
  return restrictions;
}

/** Items checked before other work runs: about 2 ms. */
const itemsPerTurn = 20_000;

async function keysIn(set: ItemSet, { catalog }: ServingEnvironment): Promise<string[]> {
  const keys: string[] = [];
  for (let itemIndex = 0; itemIndex < catalog.itemCount; itemIndex++) {
    if (set.has(itemIndex)) keys.push(itemKey(catalog.itemTypeAt(itemIndex), catalog.itemIdAt(itemIndex)));
    if (itemIndex % itemsPerTurn === itemsPerTurn - 1) await nextTurn();
  }
  return keys;
}

function missingVariable(configurationId: string, names: readonly string[]): DomainError {
  const [variable] = names;
  return new DomainError(
    'VARIABLE_MISSING',
    `The audience needs the variable ${JSON.stringify(variable)} of configuration ${JSON.stringify(configurationId)}.`,
    {
      metadata: { configuration_id: configurationId, variable },
      violations: names.map((name) => ({
        pointer: `/audience${pointerStep(name)}`,
        detail: `Is a variable without default in configuration ${configurationId}.`,
      })),
    },
  );
}

type StoredRequest = {
  audienceSize: number;
  promotion: PromotedKey[];
  suppression: Suppression;
  holdOutShare: number;
  /** Absent if the request named no configuration. */
  configuration?: { configurationId: string; variables: JsonObject };
};

export function storedRequest({ audienceName, integrationType, request, createdAt }: AudienceRow) {
  const { audienceSize, promotion, suppression, holdOutShare, configuration } = request as StoredRequest;
  const { bought, mailedSinceSeconds, mailings } = suppression;
  const mailedMs = mailedSinceSeconds === 0 ? 0 : createdAt.getTime() - mailedSinceSeconds * 1_000;
  return {
    audienceName,
    audienceSize,
    integrationType,
    promotion: promotion.map(({ itemId, itemType }) => ({ id: itemId, itemType })),
    excludeBought: bought,
    excludeMailedWithinDays: Math.round(mailedMs / dayMs),
    mailings: [...mailings],
    holdOutShare,
    ...configuration,
  };
}
