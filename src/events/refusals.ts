/**
 * The events that this node has refused lately, for those who mend what sends them.
 *
 * They are remembered, not stored: whoever sends nonsense fills no table, and nothing of a person outlives the node.
 */

import type { Violation } from '../errors.ts';
import { copyOf } from '../ranking/runtime/cache.ts';

/** Of an environment; the earlier ones are forgotten. */
const mostRemembered = 200;
/** Of one request, whose events mostly have the same fault. */
const mostOfRequest = 20;

/** Whose the event is does not stand here: neither users nor devices, nor fields that might name them. */
const shownFields: ReadonlySet<string> = new Set([
  'event_type',
  'page_type',
  'action_item',
  'action_item_type',
  'action_group',
  'action_group_type',
  'interaction_type',
  'list_name',
  'request_id',
  'context_item',
  'context_item_type',
  'channel',
  'version',
  'user_group',
  'campaign_id',
  'amount',
  'original_price',
  'purchased_price',
  'progress',
  'timestamp',
]);

/** Longer values are cut: what is remembered stays small. */
const longestValue = 256;

export type FaultyEvent = {
  /** As it was sent. */
  document: Readonly<Record<string, unknown>>;
  violations: readonly Violation[];
};

export type RefusedEvent = FaultyEvent & { atMs: number; clientId: string | undefined };

export type Refusals = {
  /** What a request had of them. */
  note(environment: string, clientId: string | undefined, faulty: readonly FaultyEvent[]): void;
  /** The latest first. */
  list(environment: string): readonly RefusedEvent[];
  countOf(environment: string): number;
  readonly sinceMs: number;
};

export function createRefusals(clock: () => number): Refusals {
  const sinceMs = clock();
  const remembered = new Map<string, RefusedEvent[]>();
  const counts = new Map<string, number>();
  return {
    note(environment, clientId, faulty) {
      const atMs = clock();
      const latest = faulty.slice(0, mostOfRequest).map(({ document, violations }) => ({
        document: shownPart(document),
        violations: violations.map(shortViolation),
        atMs,
        clientId,
      }));
      const before = remembered.get(environment) ?? [];
      remembered.set(environment, [...latest, ...before].slice(0, mostRemembered));
      counts.set(environment, (counts.get(environment) ?? 0) + faulty.length);
    },
    list: (environment) => remembered.get(environment) ?? [],
    countOf: (environment) => counts.get(environment) ?? 0,
    sinceMs,
  };
}

function shownPart(document: FaultyEvent['document']): Record<string, unknown> {
  const entries = Object.entries(document).filter(([name]) => shownFields.has(name));
  return Object.fromEntries(entries.map(([name, value]) => [name, shortened(value)]));
}

/** A pointer may go through many long names. */
function shortViolation({ pointer, detail }: Violation): Violation {
  return { pointer: cut(pointer), detail: cut(detail) };
}

function shortened(value: unknown): unknown {
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value;
  return cut(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
}

function cut(text: string): string {
  return text.length > longestValue ? copyOf(`${text.slice(0, longestValue)}…`) : text;
}
