/** An event as it is stored; all ids are the callers' own strings. */
export type EventRow = {
  environment: string;
  eventType: string;
  occurredAtMs: number;
  deviceId?: string;
  userId?: string;
  itemType?: string;
  itemId?: string;
  requestId?: string;
  listName?: string;
  pageType?: string;
  channel?: string;
  userGroup?: string;
  version?: string;
  /** A robot's event is stored and goes to no history. */
  robot: boolean;
  /** From a caller whom nobody vouches for: a write key, or anybody where events need no token [false]. */
  isPublic?: boolean;
  /** Makes the event idempotent within its environment, type and `isPublic`. */
  eventId?: string;
  /** The event as it was sent: a JSON value. */
  details: unknown;
};

/** Nobody is counted under this device id, and nothing is kept for it, by contract. */
export const anonymousDevice = 'anonymous';
