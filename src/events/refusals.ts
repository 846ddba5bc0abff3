/**
 * Remembers the events that this node refused lately, for developers of the sending application.
 * They stay in memory: a faulty sender fills no table, and no personal data outlives the node.
 */

import type { Violation } from '../errors.ts';
import { copyOf } from '../ranking/runtime/cache.ts';

/** Refused events kept per environment; older ones are dropped. */
const mostRemembered = 200;
/** Refused events kept per request: most have the same fault. */
const mostOfRequest = 20;

/** Excludes users, devices and fields that may contain personal data. */
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

/** Maximum characters of a value; longer ones are cut to bound memory. */
const longestValue = 256;

export type FaultyEvent = {
  document: Readonly<Record<string, unknown>>;
  violations: readonly Violation[];
};

export type RefusedEvent = FaultyEvent & { atMs: number; clientId: string | undefined };

export type Refusals = {
  note(environment: string, clientId: string | undefined, faulty: readonly FaultyEvent[]): void;
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

/** A pointer may contain many long names. */
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
