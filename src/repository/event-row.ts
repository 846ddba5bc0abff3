/** An event as it is stored. All IDs are the callers' own strings. */
export type EventRow = {
  environment: string;
  eventType: string;
  occurredAtMs: number;
  deviceId?: string;
  userId?: string;
  itemType?: string;
  itemId?: string;
  /** Group whose items stand for one another, as the variants of a product do. */
  itemGroup?: string;
  requestId?: string;
  listName?: string;
  pageType?: string;
  channel?: string;
  userGroup?: string;
  version?: string;
  /** A robot's event is stored and goes to no history. */
  robot: boolean;
  /** Sent with a write key, or without a token where none is required [false]. */
  isPublic?: boolean;
  /** Makes the event idempotent within its environment, type and `isPublic`. */
  eventId?: string;
  /** The event as it was sent: a JSON value. */
  details: unknown;
};
