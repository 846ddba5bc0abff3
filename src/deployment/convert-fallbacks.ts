/** The fallback chain of an environment, and what its segments are told apart by. */

import type { Environment } from '../../gen/es/personalisation/deployment/v1/deployment_pb.js';
import { EventSchema } from '../../gen/es/personalisation/v1/event_pb.js';
import { RecommendationRequestSchema } from '../../gen/es/personalisation/v1/recommendation_pb.js';
import { nearestName } from '../nearest-name.ts';
import { namePattern, namePatternDetail } from './convert-item-types.ts';
import type { Faults } from './convert-server.ts';
import { defaultFallbacks, type FallbackSettings, type FallbackStep, usualSegments } from './deployment.ts';

/** What segments may be told apart by without being declared. */
const knownSegments = [...usualSegments, 'country', 'device_class'];

const takenNames = new Set(
  [EventSchema, RecommendationRequestSchema].flatMap(({ fields }) => fields.map(({ name }) => name)),
);

export function convertFallbacks(message: Environment, pointer: string, fault: Faults): FallbackSettings {
  const { fallbacks, segments, userProperties } = message;
  checkUserProperties(userProperties, `${pointer}/user_properties`, fault);
  checkDistinct(fallbacks, `${pointer}/fallbacks`, fault);
  checkDistinct(segments, `${pointer}/segments`, fault);
  const known = [...knownSegments, ...userProperties];
  for (const [i, name] of segments.entries())
    if (!known.includes(name)) fault(`${pointer}/segments/${i}`, unknownSegment(name, known));
  const hasStep = fallbacks.length === 0 || fallbacks.includes('segment');
  if (segments.length > 0 && !hasStep)
    fault(`${pointer}/segments`, 'Nothing asks for segments: fallbacks has no segment.');
  if (segments.length === 0 && userProperties.length > 0)
    fault(`${pointer}/user_properties`, 'Nothing reads them: segments names none of them.');
  return {
    steps: fallbacks.length > 0 ? (fallbacks as FallbackStep[]) : defaultFallbacks.steps,
    segments: segments.length > 0 ? segments : undefined,
  };
}

function unknownSegment(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  const meant = nearest === undefined ? '' : ` Perhaps ${nearest} is meant.`;
  return `Is neither of ${knownSegments.join(', ')} nor one of user_properties.${meant}`;
}

function checkUserProperties(names: readonly string[], pointer: string, fault: Faults): void {
  checkDistinct(names, pointer, fault);
  for (const [i, name] of names.entries()) {
    if (!namePattern.test(name)) fault(`${pointer}/${i}`, namePatternDetail);
    if (takenNames.has(name) || knownSegments.includes(name))
      fault(`${pointer}/${i}`, 'Is known already: a field of events or requests, or a usual segment.');
  }
}

function checkDistinct(names: readonly string[], pointer: string, fault: Faults): void {
  for (const [i, name] of names.entries())
    if (names.indexOf(name) < i) fault(`${pointer}/${i}`, 'Stands twice.');
}
