/** Converts a row into a record to send, or skips or refuses it. */

import { pointerStep } from '../../errors.ts';
import { byteLengthOf } from './byte-length.ts';
import type { MappedField, Mapping, RecordKind } from './mapping/mapping.ts';
import type { AddOthers } from './mapping/other-columns.ts';
import { itemFields } from './mapping/propose.ts';
import { type Row, rejectedField, SkippedRecord, UnreadableValue } from './mapping/row.ts';
import { longestLineBytes } from './reading/lines.ts';
import type { SourceRow } from './reading/rows.ts';

/** One fault of a record, with an RFC 6901 pointer. */
export type Fault = { pointer: string; detail: string };

/** `text` is the record as it was sent. `key` is the item, if its type and ID could be read. */
export type Outcome = { line: number; text: string; key?: string } & (
  | { kind: 'record'; json: string; enabled: boolean | undefined; leftOut?: string[] }
  | { kind: 'refused'; faults: Fault[] }
  | { kind: 'skipped'; reason: string }
);

export type OutgoingOptions = {
  kind: RecordKind;
  /** Undefined if rows have the shape of the API. */
  fields: readonly MappedField[] | undefined;
  skip?: Mapping['skip'];
  /** Adds columns that no field reads to the record; returns the names of those that it leaves out. */
  addOthers?: AddOthers;
  /** Default for records without an item type. */
  itemType: string | undefined;
  /** Tests whether items of a type have a property. Others become item_attributes. */
  isDeclared?: (itemType: string, name: string) => boolean;
  /** Types of declared properties by name, for tables without a mapping. */
  propertyTypes?: ReadonlyMap<string, string>;
  /** IANA zone of times without an offset [UTC]. */
  timeZone?: string;
  /**
   * Prefix of generated event IDs, completed by the line, so that a batch sent twice is stored
   * once.
   */
  eventIdPrefix: string;
};

const itemFieldNames = new Set(['item_attributes', ...itemFields.map(({ name }) => name)]);

type Document = Record<string, unknown>;

export function toOutcome(source: SourceRow, options: OutgoingOptions): Outcome {
  const { line, text, row, fault, long = [] } = source;
  const refuse = (faults: Fault[], key?: string): Outcome => ({ kind: 'refused', line, text, key, faults });
  if (fault !== undefined) return refuse([{ pointer: '', detail: fault }]);
  const reason = options.skip?.(row);
  if (reason !== undefined) return { kind: 'skipped', line, text, reason };
  const built = buildDocument(row, options.fields);
  if (built instanceof SkippedRecord) return { kind: 'skipped', line, text, reason: built.message };
  const { document, faults } = built;
  const leftOut = options.addOthers?.(document, row);
  if (options.itemType !== undefined) addItemType(document, options.itemType, options.kind);
  const key = itemKey(document);
  if (!options.fields) faults.push(...long.map(longNumber));
  if (faults.length > 0) return refuse(faults, key);
  const read =
    options.kind === 'items' ? finishItem(document, options) : finishEvent(document, options, source);
  return Array.isArray(read) ? refuse(read, key) : { kind: 'record', line, text, key, ...read, leftOut };
}

/** Returns a text for an item's type and ID; undefined if one is missing. */
export function itemKey({ item_type, item_id }: Document): string | undefined {
  return item_type == null || item_id == null
    ? undefined
    : JSON.stringify([String(item_type), String(item_id)]);
}

type Read = { json: string; enabled: boolean | undefined };

function addItemType(document: Document, itemType: string, kind: RecordKind): void {
  if (kind === 'items') document.item_type ??= itemType;
  else if (document.action_item != null) document.action_item_type ??= itemType;
}

function buildDocument(row: Row, fields: readonly MappedField[] | undefined) {
  const faults: Fault[] = [];
  if (!fields) return { document: { ...row } as Document, faults };
  const document: Document = Object.create(null);
  for (const { name, read } of fields) {
    try {
      const value = read(row);
      if (value !== undefined) document[name] = value;
    } catch (error) {
      if (error instanceof SkippedRecord) return error;
      if (!(error instanceof UnreadableValue)) throw error;
      faults.push({ pointer: pointerStep(name), detail: error.message });
    }
  }
  return { document, faults };
}

const longNumber = (number: string): Fault => ({
  pointer: '',
  detail: `The number "${number}" is too large; write it as text.`,
});

/** `_enabled` is a property of the command line; the status is sent beside the item. */
function finishItem(document: Document, { isDeclared }: OutgoingOptions): Read | Fault[] {
  const { _enabled: enabled, [rejectedField]: _, ...item } = document;
  if (enabled !== undefined && typeof enabled !== 'boolean')
    return [{ pointer: '/_enabled', detail: 'Must be true or false.' }];
  return finish(isDeclared ? withAttributes(item, isDeclared) : item, enabled);
}

function withAttributes(item: Document, isDeclared: NonNullable<OutgoingOptions['isDeclared']>): Document {
  const type = String(item.item_type);
  const others = Object.keys(item).filter((name) => !itemFieldNames.has(name) && !isDeclared(type, name));
  if (others.length === 0) return item;
  const { item_attributes, ...rest } = item;
  const attributes: Document = Object.assign({}, item_attributes);
  for (const name of others) {
    attributes[name] = rest[name];
    delete rest[name];
  }
  return { ...rest, item_attributes: attributes };
}

function finishEvent(document: Document, { eventIdPrefix }: OutgoingOptions, { line, part }: SourceRow) {
  const { [rejectedField]: _, ...event } = document;
  if (event.event_id == null || event.event_id === '')
    event.event_id = `${eventIdPrefix}${line}${part ?? ''}`;
  return finish(event, undefined);
}

function finish(document: Document, enabled: boolean | undefined): Read | Fault[] {
  const json = JSON.stringify(document);
  if (byteLengthOf(json) <= longestLineBytes) return { json, enabled };
  return [{ pointer: '', detail: `Is longer than ${longestLineBytes} bytes.` }];
}
