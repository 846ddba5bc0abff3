/** Mappings for the exports of other products, as data: ready-items.json and ready-events.json. */

import { stringify } from 'yaml';
import type { RecordKind } from './mapping.ts';
import events from './ready-events.json' with { type: 'json' };
import items from './ready-items.json' with { type: 'json' };

export type ReadyMapping = {
  name: string;
  /** Name of the source, such as `a Shopify product export`. */
  title: string;
  kind: RecordKind;
  /** The mapping file, which a user may copy and change. */
  text: string;
};

/** Without `recognise` only its name chooses a mapping. */
type Data = { title: string; recognise?: readonly string[] };

const data: Readonly<Record<RecordKind, Readonly<Record<string, Data>>>> = { items, events };

function toReady(kind: RecordKind, name: string): ReadyMapping {
  const { title, ...mapping } = data[kind][name];
  return { name, title, kind, text: stringify(mapping) };
}

export const readyNames = (kind: RecordKind): string[] => Object.keys(data[kind]);

/** Returns the mapping of a name; undefined if there is none. */
export function readyMapping(name: string, kind: RecordKind): ReadyMapping | undefined {
  return Object.hasOwn(data[kind], name) ? toReady(kind, name) : undefined;
}

/** Finds the mapping for columns of a known source; none if they are those of the interface. */
export function recognise(columns: readonly string[], kind: RecordKind): ReadyMapping | undefined {
  if (columns.includes(kind === 'items' ? 'item_id' : 'event_type')) return undefined;
  const name = readyNames(kind).find((one) =>
    data[kind][one].recognise?.every((column) => columns.includes(column)),
  );
  return name === undefined ? undefined : toReady(kind, name);
}
