/** Statements for visitors about the order of a placement, from its configuration and blend. */

import { StatementService } from '../../../gen/es/personalisation/v1/statement_service_pb.js';
import type { ServingEnvironment } from '../../ranking/environment/serving-environment.ts';
import type { ActiveConfiguration, ActiveConfigurations } from '../../ranking/rules/active-configuration.ts';
import { keysOf } from '../../ranking/rules/types.ts';
import { implement } from '../chain/implement.ts';
import { notFound } from '../chain/refuse.ts';
import { isWithoutProfiling } from '../messages/consent.ts';
import { type Language, type Parameter, parameterOf, personal, type Words, wordsOf } from './words.ts';

export type StatementHandlersOptions = {
  environments: ReadonlyMap<string, ServingEnvironment>;
  configurations: Pick<ActiveConfigurations, 'find'>;
};

type Share = { name: Parameter; share: number };

export function createStatementHandlers({ environments, configurations }: StatementHandlersOptions) {
  return implement(StatementService, {
    async getListStatement({ environment, configurationId, pageType, listName, language = 'en' }) {
      const serving = environments.get(environment)!;
      const active = configurations.find(configurationId, environment);
      if (!active) {
        const metadata = { configuration_id: configurationId };
        throw notFound('CONFIGURATION_UNKNOWN', 'configuration', configurationId, metadata);
      }
      const words = wordsOf[language as Language];
      const lists = listName === undefined ? [] : [{ listName }];
      const usesProfiling = !isWithoutProfiling({ pageType, lists }, serving.settings);
      const shares = sharesOf(serving, pageType, active, usesProfiling);
      return {
        text: [...scoreLines(shares, usesProfiling, words), ...ruleLines(active, usesProfiling, words)].join(
          '\n',
        ),
        parameters: shares.map(({ name, share }) => ({ name, share, text: words.parameters[name] })),
        usesProfiling,
      };
    },
  });
}

/** Returns the shares of the parameters in the weights of the first version, largest first. */
function sharesOf(
  { models, settings }: ServingEnvironment,
  pageType: string,
  { settings: { purpose } }: ActiveConfiguration,
  usesProfiling: boolean,
): Share[] {
  const version = settings.versions[0]?.name ?? 'default';
  const row = models.segmentOf('page_type', pageType);
  const own = purpose ?? settings.pagePurposes.get(pageType);
  const { parts } =
    (own && models.purposeBlendFor({ version }, own)) ||
    models.blendFor({ version }, row === undefined ? [] : [row]);
  const weights = new Map<Parameter, number>();
  for (const { model, weight } of parts) {
    const name = parameterOf[model.name];
    if (name === undefined || (!usesProfiling && personal.has(name))) continue;
    weights.set(name, (weights.get(name) ?? 0) + Math.abs(weight));
  }
  const sum = [...weights.values()].reduce((total, weight) => total + weight, 0);
  return Array.from(weights, ([name, weight]) => ({ name, share: weight / sum })).sort(
    (a, b) => b.share - a.share,
  );
}

function scoreLines(shares: readonly Share[], usesProfiling: boolean, words: Words): string[] {
  const about = usesProfiling ? words.profiled : words.uniform;
  if (shares.length === 0) return [about, words.unlearnt];
  const parameters = shares.map(({ name, share }) =>
    words.share(Math.round(100 * share), words.parameters[name]),
  );
  return [about, words.intro, ...parameters];
}

function ruleLines({ rules, settings }: ActiveConfiguration, usesProfiling: boolean, words: Words): string[] {
  const { freshness, rotation, calibration } = settings;
  const listOf = (keys: readonly string[]) => [...new Set(keys)].join(', ');
  const limiting = rules.rules.flatMap(keysOf);
  const moving = (sign: number) =>
    rules.preferences.filter(({ weight }) => Math.sign(weight) === sign).map(({ query }) => query.key);
  return [
    ...(limiting.length > 0 ? [words.rules(listOf(limiting))] : []),
    ...(moving(1).length > 0 ? [words.higher(listOf(moving(1)))] : []),
    ...(moving(-1).length > 0 ? [words.lower(listOf(moving(-1)))] : []),
    ...(freshness ? [words.newer] : []),
    ...(rotation?.rate && usesProfiling ? [words.rotation] : []),
    ...(calibration?.strength && usesProfiling ? [words.varied] : []),
    ...(usesProfiling ? [words.choices] : []),
  ];
}
