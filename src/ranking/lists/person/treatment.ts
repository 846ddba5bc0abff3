/**
 * Determines the variants of running experiments that a request gets: a pure function of device,
 * request and experiments.
 *
 * Experiments of a group share one hash space and take disjoint parts of it, so a device is in at
 * most one of them; different groups are independent (Tang, Agarwal, O'Brien and Meyer 2010,
 * "Overlapping Experiment Infrastructure"). A ramp widens a part at its end, and the split into
 * variants does not change with it, so devices keep their variants.
 */

import type { ModelFactors } from '../../environment/weightings.ts';
import type { ActiveConfiguration } from '../../rules/active-configuration.ts';
import type { Scalar } from '../../rules/types.ts';
import { memoizeByObject } from '../../runtime/cache.ts';
import { isIdentified } from '../../subject.ts';
import type { RecommendationRequest, VariableReader } from '../recommendation-request.ts';
import { assign, type Share, unitHash } from './assignment.ts';
import type { Identity } from './identify.ts';

type Configurations = ReadonlyMap<string, ActiveConfiguration>;

export type ServedVariant = Share & { configurations: Configurations; factors?: ModelFactors };

/** An experiment that is running, or whose winner is served. */
export type ServedExperiment = {
  experimentId: string;
  group: string;
  /** Distinguishes starts: each draws the variants anew, so no earlier run lingers in its results. */
  run: number;
  /** Part of the hash space, [from, to) within 0 and 1. */
  from: number;
  to: number;
  variants: readonly ServedVariant[];
  winner?: ServedVariant;
  /** Both variants share each list. */
  interleaved: boolean;
  audience: readonly (readonly [name: string, values: readonly Scalar[]])[];
  /** Configurations that a variant replaces. */
  configurationIds: ReadonlySet<string>;
  /** Whether a variant replaces a configuration of searches. */
  steersSearches: boolean;
  /** Whether a variant has factors. */
  weighsModels: boolean;
};

export type Assignment = { experimentId: string; variant: string };

export type Treatment = {
  assignments: readonly Assignment[];
  configurations: Configurations;
  factors?: ModelFactors;
  /** Names to record the exposure under, as versions. */
  exposures: readonly string[];
  /** The interleaved experiment; the treatment is that of its first variant. */
  interleaving?: ServedExperiment;
};

/** Names of the comparison between held-out devices and all others that experiments reach. */
const holdOutArms = { heldOut: 'hold_out', others: 'not_held_out' };

export const exposureOf = (experimentId: string, variant: string): string => `${experimentId}:${variant}`;

/** Name under which a device takes part in an interleaved experiment. */
const interleavedArm = 'interleaved';

const noConfigurations: Configurations = new Map();
export const untreated: Treatment = { assignments: [], configurations: noConfigurations, exposures: [] };

export type TreatedSubject = Pick<RecommendationRequest, 'deviceId' | 'isRobot' | 'version'>;

export type TreatmentRequest = {
  subject: TreatedSubject;
  identity: Pick<Identity, 'lists'>;
  settings: { salt: string; holdOut: number };
  /** Whether the request uses what the experiment changes. */
  concerns(experiment: ServedExperiment): boolean;
  read: VariableReader;
};

/** A request that pins a version, and one without a device, takes part in no experiment. */
export function treat(experiments: readonly ServedExperiment[], request: TreatmentRequest): Treatment {
  if (experiments.length === 0) return untreated;
  const { subject, identity, settings, concerns, read } = request;
  const { deviceId, isRobot, version } = subject;
  if (isRobot || version !== undefined || identity.lists !== 'recommended' || !isIdentified(deviceId))
    return untreated;
  const present = experiments.filter((one) => concerns(one) && admits(one.audience, read));
  if (present.length === 0) return untreated;
  const { salt, holdOut } = settings;
  if (holdOut > 0 && unitHash(`${salt}\u0000hold-out\u0000${deviceId}`) < holdOut)
    return { ...untreated, exposures: [holdOutArms.heldOut] };
  /** Winners first, so that a running variant of the same configuration replaces them. */
  const inOrder = [...present.filter(({ winner }) => winner), ...present.filter(({ winner }) => !winner)];
  const taken = inOrder.flatMap((experiment) => {
    const variant = experiment.winner ?? assignedVariant(experiment, salt, deviceId);
    return variant ? [{ experiment, variant }] : [];
  });
  const running = taken.filter(({ experiment }) => experiment.winner === undefined);
  const assignments = running.map(({ experiment: { experimentId, interleaved }, variant }) => ({
    ...{ experimentId, variant: interleaved ? interleavedArm : variant.name },
  }));
  const names = assignments.map(({ experimentId, variant }) => exposureOf(experimentId, variant));
  return {
    assignments,
    configurations: taken.map(({ variant }) => variant.configurations).reduce(joined, noConfigurations),
    factors: taken.map(({ variant }) => variant.factors).reduce(multiplied, undefined),
    exposures: holdOut > 0 ? [holdOutArms.others, ...names] : names,
    interleaving: running.find(({ experiment }) => experiment.interleaved)?.experiment,
  };
}

function assignedVariant(
  { experimentId, group, run, from, to, variants, interleaved }: ServedExperiment,
  salt: string,
  deviceId: string,
): ServedVariant | undefined {
  const place = unitHash(`${salt}\u0000experiments\u0000${group}\u0000${deviceId}`);
  if (place < from || place >= to) return undefined;
  if (interleaved) return variants[0];
  return assign(variants, `${salt}\u0000${experimentId}\u0000${run}`, deviceId);
}

/** A variable with several values meets a condition by any of them. */
function admits(audience: ServedExperiment['audience'], read: VariableReader): boolean {
  return audience.every(([name, values]) => {
    const given = read(name);
    const all = Array.isArray(given) ? given : [given];
    return all.some((value) => value !== undefined && values.includes(value));
  });
}

/** The same maps give the same map, by which searches recognise their configurations. */
const joinedMaps = memoizeByObject((one: Configurations) =>
  memoizeByObject((other: Configurations): Configurations => new Map([...one, ...other])),
);

function joined(one: Configurations, other: Configurations): Configurations {
  if (one.size === 0) return other;
  return other.size === 0 ? one : joinedMaps(one)(other);
}

function multiplied(one: ModelFactors | undefined, other: ModelFactors | undefined) {
  if (!one || !other) return one ?? other;
  const product: Record<string, number> = { ...one };
  for (const [name, factor] of Object.entries(other)) product[name] = (product[name] ?? 1) * factor;
  return product;
}
