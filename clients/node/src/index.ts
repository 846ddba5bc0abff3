export { EventType } from '../../../gen/es/personalisation/v1/event_pb.js';
export {
  createPersonalisation,
  type Personalisation,
  type PersonalisationOptions,
  type RecommendOptions,
  type RequestOptions,
  type SearchOptions,
} from './client.ts';
export { type ErrorReason, isPassing, PersonalisationError, type Violation } from './errors.ts';
export type { LostEvent } from './event-backlog.ts';
export type { EventName, EventQueueOptions, TrackedEvent } from './events.ts';
export type { FallbackItem, Outcome } from './fallback.ts';
export type { PagingOptions } from './paging.ts';
