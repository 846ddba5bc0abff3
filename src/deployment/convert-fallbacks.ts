/** The fallback chain of an environment, and the facts that define its segments. */

import type { Environment } from '../../gen/es/personalisation/deployment/v1/deployment_pb.js';
import { EventSchema } from '../../gen/es/personalisation/v1/event_pb.js';
import { RecommendationRequestSchema } from '../../gen/es/personalisation/v1/recommendation_pb.js';
import { nearestName } from '../nearest-name.ts';
import { checkDistinct, checkName, type Faults, within } from './checks.ts';
import {
  declaredProperties,
  defaultFallbacks,
  type FallbackSettings,
  type FallbackStep,
  usualSegments,
} from './deployment.ts';

/** Facts that segments may use without declaration. */
const knownSegments = [...usualSegments, 'country', 'device_class'];

const takenNames = new Set(
  [EventSchema, RecommendationRequestSchema].flatMap(({ fields }) => fields.map(({ name }) => name)),
);

export function convertFallbacks(message: Environment, fault: Faults): FallbackSettings {
  const { fallbacks, segments, userProperties } = message;
  checkUserProperties(userProperties, within(fault, 'user_properties'));
  checkDistinct(fallbacks, within(fault, 'fallbacks'));
  checkDistinct(segments, within(fault, 'segments'));
  const known = [...knownSegments, ...userProperties];
  for (const [i, name] of segments.entries())
    if (!known.includes(name)) fault(`/segments/${i}`, unknownSegment(name, known));
  if (segments.length === 0 && userProperties.length > 0)
    fault('/user_properties', 'Has no effect: segments names none of them.');
  return {
    steps: fallbacks.length > 0 ? (fallbacks as FallbackStep[]) : defaultFallbacks.steps,
    segments: segments.length > 0 ? segments : undefined,
  };
}

/** Returns the properties that metrics distinguish, in order. */
export function metricSegmentsOf({ segments }: FallbackSettings): string[] {
  return [...new Set(['device_class', ...declaredProperties(segments)])].sort();
}

function unknownSegment(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  const meant = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  return `Is neither of ${knownSegments.join(', ')} nor one of user_properties.${meant}`;
}

function checkUserProperties(names: readonly string[], fault: Faults): void {
  checkDistinct(names, fault);
  for (const [i, name] of names.entries()) {
    checkName(name, within(fault, `${i}`));
    if (takenNames.has(name) || knownSegments.includes(name))
      fault(`/${i}`, 'Is already the name of a field of events or requests, or of a default segment.');
  }
}
