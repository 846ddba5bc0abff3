/** Follows the experiments that are served, with the versions of configurations that they name. */

import type { Logger } from 'pino';
import { groupOf, servedPart } from '../../../jobs/experiments/lifecycle.ts';
import type { ServedExperiment, ServedVariant } from '../../../ranking/lists/person/treatment.ts';
import { type ActiveConfiguration, activeOf } from '../../../ranking/rules/active-configuration.ts';
import { createFollower, type Follower } from '../../../ranking/runtime/follower.ts';
import { findConfigurationVersion } from '../../../repository/configurations/configurations.ts';
import type { Database } from '../../../repository/database.ts';
import {
  type Experiment,
  listServedExperiments,
  type VariantDefinition,
} from '../../../repository/experiments/experiments.ts';
import { findLastLocalNumber } from '../../../repository/feeds.ts';
import { belongsTo, environmentsOf } from '../../messages/environments-of.ts';

export type ExperimentReplica = Follower & {
  /** Returns the experiments that an environment serves, in a stable order. */
  servedIn(environment: string): readonly ServedExperiment[];
};

export type ExperimentReplicaOptions = {
  db: Database;
  /** Throws when the document cannot be read. */
  parse(document: unknown): Omit<ActiveConfiguration, 'version'>;
  intervalMs: number;
  logger: Logger;
};

const nothing: readonly ServedExperiment[] = [];

export function createExperimentReplica(options: ExperimentReplicaOptions): ExperimentReplica {
  const { db, intervalMs, logger } = options;
  let byEnvironment = new Map<string, ServedExperiment[]>();
  let lastNumber = -1;
  let versions: Versions = new Map();

  const catchUp = async () => {
    const number = await findLastLocalNumber(db, 'experiments');
    if (number === lastNumber) return;
    const rows = await listServedExperiments(db);
    const read = await readVersions(rows, versions, options);
    /** A call that runs at the same time may have read further. */
    if (number < lastNumber) return;
    versions = read;
    byEnvironment = Map.groupBy(
      rows.map((row) => ({ environment: row.environment, ...servedExperiment(row, versions) })),
      ({ environment }) => environment,
    );
    lastNumber = number;
  };
  return {
    servedIn: (environment) => byEnvironment.get(environment) ?? nothing,
    ...createFollower({ name: 'experiments', catchUp, intervalMs, logger }),
  };
}

type Version = { active: ActiveConfiguration; environments: readonly string[] };

/** By `id@version`; undefined for a version that cannot be read. */
type Versions = Map<string, Version | undefined>;

const keyOf = (configurationId: string, version: number) => `${configurationId}@${version}`;

const versionOf = (
  version: number,
  document: unknown,
  parse: ExperimentReplicaOptions['parse'],
): Version => ({
  active: activeOf(version, parse(document)),
  environments: environmentsOf(document),
});

/** Versions never change, so known ones are not read again. */
async function readVersions(
  rows: readonly Experiment[],
  known: Versions,
  { db, parse, logger }: ExperimentReplicaOptions,
): Promise<Versions> {
  const versions: Versions = new Map();
  for (const { definition } of rows)
    for (const { configurations } of definition.variants)
      for (const [configurationId, version] of Object.entries(configurations)) {
        const key = keyOf(configurationId, version);
        if (versions.has(key)) continue;
        const row = known.has(key) ? undefined : await findConfigurationVersion(db, configurationId, version);
        try {
          versions.set(key, row?.document ? versionOf(version, row.document, parse) : known.get(key));
        } catch (error) {
          versions.set(key, undefined);
          const facts = { err: error, configuration_id: configurationId, version };
          logger.error(facts, 'A configuration of an experiment cannot be read.');
        }
      }
  return versions;
}

function servedExperiment(row: Experiment, versions: Versions): ServedExperiment {
  const { experimentId, definition, progress } = row;
  const variants = definition.variants.map((variant) => servedVariant(row.environment, variant, versions));
  const replaced = variants.flatMap(({ configurations }) => [...configurations]);
  return {
    experimentId,
    group: groupOf(row),
    run: progress.startedAtMs!,
    ...servedPart(row),
    variants,
    winner: variants.find(({ name }) => row.state === 'concluded' && name === progress.winner),
    interleaved: row.state === 'running' && definition.interleaved === true,
    audience: Object.entries(definition.audience),
    configurationIds: new Set(replaced.map(([configurationId]) => configurationId)),
    steersSearches: replaced.some(([, { search }]) => search !== undefined),
    weighsModels: variants.some(({ factors }) => factors !== undefined),
  };
}

function servedVariant(
  environment: string,
  { name, share, configurations, models }: VariantDefinition,
  versions: Versions,
): ServedVariant {
  const replaced = Object.entries(configurations).flatMap(([id, version]) => {
    const found = versions.get(keyOf(id, version));
    return found && belongsTo(found.environments, environment) ? [[id, found.active] as const] : [];
  });
  return {
    ...{ name, share, configurations: new Map(replaced) },
    factors: Object.keys(models).length > 0 ? models : undefined,
  };
}
