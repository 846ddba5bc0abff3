/**
 * Derives from events what each bucket stores: lines of histories and increments of counts.
 *
 * The user, device, impression set and item of an event each have a bucket, so one event may
 * concern several. Plain sums go to the home bucket of the lane.
 */

import { type InterpretationOf, opinionOf, qualifierOf, usualInterpretation } from '../../events/meaning.ts';
import { bucketOf } from '../buckets.ts';
import {
  type AttributionWindow,
  attributionKeyOf,
  emptyBatch,
  gatherEvent,
  type MetricBatch,
  type MetricPlaces,
} from '../metrics/metric-batch.ts';
import type { LimitNames } from '../metrics/metric-dimensions.ts';
import { createHistoryBatch, gatherHistory, type HistoryBatch } from './history-batch.ts';
import type { StoredEvent } from './stored-event.ts';

export type BucketFacts = { histories: HistoryBatch; metrics: MetricBatch };

export function emptyFacts(): BucketFacts {
  return { histories: createHistoryBatch(), metrics: emptyBatch() };
}

/**
 * Adds an event to the facts. Call it in order of arrival.
 * @param facts One entry per bucket.
 * @param limitNames Limits the names that counts are broken down by [all names].
 * @param interpretationOf How environments read events [by the defaults].
 */
export function gatherFacts(
  facts: BucketFacts[],
  event: StoredEvent,
  attributionWindow: AttributionWindow,
  limitNames?: LimitNames,
  interpretationOf: InterpretationOf = () => usualInterpretation,
): void {
  const places = placesOf(facts.length, event);
  const interpretation = interpretationOf(event.environment);
  const qualifier = qualifierOf(event, interpretation);
  const { user, device } = places;
  gatherHistory({ user: facts[user].histories, device: facts[device].histories }, event, qualifier);
  gatherEvent(
    {
      sums: facts[event.lane % facts.length].metrics,
      user: facts[places.user].metrics,
      device: facts[places.device].metrics,
      set: facts[places.set].metrics,
      item: facts[places.item].metrics,
    } satisfies MetricPlaces,
    event,
    attributionWindow,
    limitNames,
    {
      isNegative: opinionOf(event.eventType, qualifier, interpretation.eventWeights) === -1,
      segments: interpretation.metricSegments,
    },
  );
}

function placesOf(bucketCount: number, event: StoredEvent) {
  const { environment, userId, deviceId, requestId } = event;
  const placeOf = (id: string | undefined, of: (id: string) => number) => (id === undefined ? 0 : of(id));
  return {
    user: placeOf(userId, (id) => bucketOf(bucketCount, environment, `u:${id}`)),
    device: placeOf(deviceId, (id) => bucketOf(bucketCount, environment, `d:${id}`)),
    set: placeOf(requestId, (id) => bucketOf(bucketCount, environment, id)),
    item: placeOf(attributionKeyOf(event), (id) => bucketOf(bucketCount, environment, id)),
  };
}
