/** Checks configurations beyond the limits of their message types. */

import type { Configuration } from '../../../gen/es/personalisation/v1/configuration_pb.js';
import { type Deployment, itemFields } from '../../deployment/deployment.ts';
import { DomainError, type Violation } from '../../errors.ts';
import { nearestName } from '../../nearest-name.ts';
import { refuse } from '../chain/refuse.ts';
import { parseConfiguration } from '../grammar/parse-rules.ts';
import { checkSearch, parseSearch } from '../grammar/parse-search.ts';
import { checkExploration, parseSchedule, parseSettings } from '../grammar/parse-settings.ts';
import { settlePointer } from '../messages/pointers.ts';
import { findContradictions } from './contradictions.ts';
import { isSingleValued } from './lint.ts';
import type { ParsedConfiguration } from './replica/configuration-replica.ts';
import { contentOf } from './replica/content.ts';

/** Parses a configuration. @throws DomainError with pointers into its document */
export type ConfigurationCheck = (configuration: Configuration, document: unknown) => ParsedConfiguration;

export function createConfigurationCheck(deployment: Deployment): ConfigurationCheck {
  const knownKeys = metadataKeys(deployment);
  const environmentNames = new Set(deployment.environments.keys());
  const environments = [...deployment.environments.values()];
  const isSingle = (key: string) => environments.every((settings) => isSingleValued(key, settings));

  return (configuration, document) => {
    const { configuration: rules, violations, keys } = parseConfiguration(configuration);
    const { schedule, violations: ofSchedule } = parseSchedule(configuration);
    const refuseSettled = (found: Violation[]) =>
      refuse(found.map(({ pointer, detail }) => ({ pointer: settlePointer(document, pointer), detail })));
    const ofSearch = checkSearch(configuration, rules, environmentNames);
    refuseSettled([...violations, ...ofSchedule, ...ofSearch, ...checkExploration(configuration)]);
    const contradictions = findContradictions({ rules: rules.rules, isSingle })
      .filter(({ isFatal }) => isFatal)
      .map(({ ruleIndex, detail }) => ({ pointer: `/constraints/${ruleIndex}`, detail }));
    refuseSettled(contradictions);
    if (configuration.stockBudget) keys.set(configuration.stockBudget.property, '/stock_budget/property');
    for (const [key, pointer] of keys) {
      if (!knownKeys.has(key) && !/^item_attributes\../.test(key))
        throw unknownKey(key, settlePointer(document, pointer), knownKeys);
    }
    const search = parseSearch(configuration);
    const content = contentOf(configuration);
    return { rules, settings: parseSettings(configuration), search, content, ...schedule };
  };
}

/** Returns all keys for conditions; item attributes are free. */
function metadataKeys(deployment: Deployment): Set<string> {
  const keys = new Set(itemFields);
  for (const { properties } of deployment.environments.values()) {
    for (const name of properties.keys()) keys.add(name);
  }
  return keys;
}

function unknownKey(key: string, pointer: string, knownKeys: Set<string>): DomainError {
  const nearest = nearestName(key, knownKeys, Number.POSITIVE_INFINITY);
  const detail = `No environment declares the metadata key ${JSON.stringify(key)}.${nearest ? ` Did you mean ${nearest}?` : ''}`;
  const metadata: Record<string, string> = nearest ? { key, nearest } : { key };
  return new DomainError('METADATA_KEY_UNKNOWN', detail, { metadata, violations: [{ pointer, detail }] });
}
