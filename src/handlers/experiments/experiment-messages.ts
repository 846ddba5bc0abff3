/** Converts experiments between messages and what is stored. */

import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate, timestampFromMs } from '@bufbuild/protobuf/wkt';
import {
  type Experiment as ExperimentMessage,
  type ExperimentSchema,
  ExperimentState,
  type ExperimentVariant,
} from '../../../gen/es/personalisation/v1/experiment_pb.js';
import type { Violation } from '../../errors.ts';
import { experimentMetrics } from '../../jobs/experiments/statistics/reading.ts';
import { modelEntries } from '../../ranking/models/registry.ts';
import type {
  ExperimentDefinition,
  ExperimentRow,
  VariantDefinition,
} from '../../repository/experiments/experiments.ts';
import { checkId, refuse } from '../chain/refuse.ts';
import { enumValue } from '../messages/values.ts';

const namePattern = /^[A-Za-z0-9_-]+$/;
const nameDetail = 'Must have letters, digits, "_" and "-" only.';
const usualMetric = 'click_through_rate';
const usualHours = 24;
const mostFactor = 10;
const mostVariables = 10;
const mostValues = 100;
const modelNames = new Set(modelEntries.map(({ name }) => name));

/** Reads a definition. @throws BODY_INVALID */
export function definitionOf(message: ExperimentMessage, experimentId: string): ExperimentDefinition {
  const definition = {
    hypothesis: message.hypothesis,
    variants: message.variants.map(variantOf),
    group: message.group || undefined,
    traffic: message.traffic ?? 1,
    audience: audienceOf(message.audience),
    metric: message.metric || usualMetric,
    guardrails: message.guardrails.map(({ metric, toleratedLoss = 0 }) => ({ metric, toleratedLoss })),
    interleaved: message.interleaved || undefined,
    ramp: message.ramp.map(({ share, hours = usualHours }) => ({ share, hours })),
  };
  if (definition.ramp.length === 0) definition.ramp.push({ share: 1, hours: 0 });
  refuse([
    ...checkId(message.experimentId, experimentId, '/experiment_id'),
    ...(namePattern.test(experimentId) ? [] : [{ pointer: 'path:experiment_id', detail: nameDetail }]),
    ...checkVariants(definition.variants),
    ...checkAudience(definition.audience),
    ...checkMetrics(definition),
    ...checkRamp(definition.ramp),
    ...checkInterleaved(definition),
  ]);
  return definition;
}

function variantOf({ name, share = 1, configurations, models }: ExperimentVariant): VariantDefinition {
  return { name, share, configurations, models };
}

function audienceOf(audience: ExperimentMessage['audience']): ExperimentDefinition['audience'] {
  const values = Object.entries(audience ?? {});
  return Object.fromEntries(
    values.map(([name, value]) => [name, (Array.isArray(value) ? value : [value]) as string[]]),
  );
}

function checkVariants(variants: readonly VariantDefinition[]): Violation[] {
  const names = variants.map(({ name }) => name);
  const violations = variants.flatMap(({ name, share, configurations, models }, i): Violation[] => {
    const at = `/variants/${i}`;
    const isNumbered = ([, version]: [string, number]) => version >= 1;
    const isFactor = ([model, factor]: [string, number]) =>
      modelNames.has(model) && factor >= 0 && factor <= mostFactor;
    return [
      ...(namePattern.test(name) ? [] : [{ pointer: `${at}/name`, detail: nameDetail }]),
      ...(names.indexOf(name) === i ? [] : [{ pointer: `${at}/name`, detail: `Duplicate name "${name}".` }]),
      ...(share > 0 ? [] : [{ pointer: `${at}/share`, detail: 'Must be above 0.' }]),
      ...Object.entries(configurations)
        .filter((entry) => !isNumbered(entry))
        .map(([id]) => ({ pointer: `${at}/configurations/${id}`, detail: 'Must be a version, from 1.' })),
      ...Object.entries(models)
        .filter((entry) => !isFactor(entry))
        .map(([model]) => ({
          pointer: `${at}/models/${model}`,
          detail: `Must be a factor from 0 to ${mostFactor} of one of: ${[...modelNames].join(', ')}.`,
        })),
    ];
  });
  if (variants.length < 2) violations.push({ pointer: '/variants', detail: 'Must be two or more.' });
  return violations;
}

function checkAudience(audience: ExperimentDefinition['audience']): Violation[] {
  const entries = Object.entries(audience);
  const isBounded =
    entries.length <= mostVariables && entries.every(([, { length }]) => length <= mostValues);
  const detail = `Must have at most ${mostVariables} variables with ${mostValues} values each.`;
  const kinds = ['string', 'number', 'boolean'];
  return [
    ...(isBounded ? [] : [{ pointer: '/audience', detail }]),
    ...entries
      .filter(([, values]) => values.length === 0 || values.some((value) => !kinds.includes(typeof value)))
      .map(([name]) => ({
        pointer: `/audience/${name}`,
        detail: 'Must be a string, number or boolean, or an array of them.',
      })),
  ];
}

/** @throws BODY_INVALID */
export function checkMetric(metric: string): void {
  refuse(checkMetrics({ metric, guardrails: [] }));
}

function checkMetrics({ metric, guardrails }: Pick<ExperimentDefinition, 'metric' | 'guardrails'>) {
  const named = [
    { pointer: '/metric', name: metric },
    ...guardrails.map((guardrail, i) => ({ pointer: `/guardrails/${i}/metric`, name: guardrail.metric })),
  ];
  return named
    .filter(({ name }) => !experimentMetrics.includes(name))
    .map(({ pointer }) => ({ pointer, detail: `Must be one of: ${experimentMetrics.join(', ')}.` }));
}

function checkInterleaved({ interleaved, variants, guardrails }: ExperimentDefinition): Violation[] {
  if (!interleaved || (variants.length === 2 && guardrails.length === 0)) return [];
  return [{ pointer: '/interleaved', detail: 'Needs two variants, and allows no guardrails.' }];
}

function checkRamp(ramp: ExperimentDefinition['ramp']): Violation[] {
  return ramp.flatMap(({ share }, i) => {
    const isAbove = share > (i === 0 ? 0 : ramp[i - 1].share);
    return isAbove ? [] : [{ pointer: `/ramp/${i}/share`, detail: 'Shares must ascend from above 0.' }];
  });
}

const momentOf = (ms: number | undefined) => (ms === undefined ? undefined : timestampFromMs(ms));

export function experimentMessage(row: ExperimentRow): MessageInitShape<typeof ExperimentSchema> {
  const { experimentId, state, definition, progress, revision, updatedAt } = row;
  const { decision, share, winner, startedAtMs, endedAtMs } = progress;
  const { audience, ...declared } = definition;
  return {
    ...declared,
    experimentId,
    audience: Object.keys(audience).length > 0 ? audience : undefined,
    state: enumValue(ExperimentState, state),
    share: state === 'running' ? share : undefined,
    winner,
    decision: decision && { ...decision, time: timestampFromMs(decision.atMs) },
    startTime: momentOf(startedAtMs),
    endTime: momentOf(endedAtMs),
    revision,
    updateTime: timestampFromDate(updatedAt),
  };
}
