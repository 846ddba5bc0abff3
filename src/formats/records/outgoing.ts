/** Converts a row into a record to send, or skips or refuses it. */

import { pointerStep } from '../../errors.ts';
import { byteLengthOf } from './byte-length.ts';
import type { MappedField, Mapping, RecordKind } from './mapping/mapping.ts';
import { itemFields } from './mapping/propose.ts';
import { type Row, rejectedField, UnreadableValue } from './mapping/row.ts';
import { longestLineBytes } from './reading/lines.ts';
import type { SourceRow } from './reading/rows.ts';

/** One fault of a record, with an RFC 6901 pointer. */
export type Fault = { pointer: string; detail: string };

/** `text` is the record as it was sent. */
export type Outcome = { line: number; text: string } & (
  | { kind: 'record'; json: string; enabled: boolean | undefined }
  | { kind: 'refused'; faults: Fault[] }
  | { kind: 'skipped' }
);

export type OutgoingOptions = {
  kind: RecordKind;
  /** Undefined if rows have the shape of the API. */
  fields: readonly MappedField[] | undefined;
  skip?: Mapping['skip'];
  /** Default for records without an item type. */
  itemType: string | undefined;
  /** Tests whether items of a type have a property. Others become item_attributes. */
  isDeclared?: (itemType: string, name: string) => boolean;
  /**
   * Prefix of generated event IDs, completed by the line, so that a batch sent twice is stored
   * once.
   */
  eventIdPrefix: string;
};

const itemFieldNames = new Set(['item_attributes', ...itemFields.map(({ name }) => name)]);

type Document = Record<string, unknown>;

export function toOutcome(source: SourceRow, options: OutgoingOptions): Outcome {
  const { line, text } = source;
  const outcome = readRecord(source, options);
  if (Array.isArray(outcome)) return { kind: 'refused', line, text, faults: outcome };
  if (outcome === undefined) return { kind: 'skipped', line, text };
  return { kind: 'record', line, text, ...outcome };
}

type Read = { json: string; enabled: boolean | undefined };

/** Returns the record, its faults, or undefined for a row to skip. */
function readRecord(source: SourceRow, options: OutgoingOptions): Read | Fault[] | undefined {
  const { row, fault, long = [] } = source;
  if (fault !== undefined) return [{ pointer: '', detail: fault }];
  if (options.skip?.(row)) return undefined;
  if (!options.fields && long.length > 0) return long.map(longNumber);
  const { document, faults } = buildDocument(row, options.fields);
  if (faults.length > 0) return faults;
  return options.kind === 'items' ? finishItem(document, options) : finishEvent(document, options, source);
}

function buildDocument(row: Row, fields: readonly MappedField[] | undefined) {
  const faults: Fault[] = [];
  if (!fields) return { document: row as Document, faults };
  const document: Document = Object.create(null);
  for (const { name, read } of fields) {
    try {
      const value = read(row);
      if (value !== undefined) document[name] = value;
    } catch (error) {
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
function finishItem(document: Document, { itemType, isDeclared }: OutgoingOptions): Read | Fault[] {
  const { _enabled: enabled, [rejectedField]: _, ...item } = document;
  if (enabled !== undefined && typeof enabled !== 'boolean')
    return [{ pointer: '/_enabled', detail: 'Must be true or false.' }];
  if (itemType !== undefined && item.item_type == null) item.item_type = itemType;
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

function finishEvent(document: Document, options: OutgoingOptions, { line, part }: SourceRow) {
  const { itemType, eventIdPrefix } = options;
  const { [rejectedField]: _, ...event } = document;
  if (event.event_id == null || event.event_id === '')
    event.event_id = `${eventIdPrefix}${line}${part ?? ''}`;
  if (itemType !== undefined && event.action_item != null && event.action_item_type == null)
    event.action_item_type = itemType;
  return finish(event, undefined);
}

function finish(document: Document, enabled: boolean | undefined): Read | Fault[] {
  const json = JSON.stringify(document);
  if (byteLengthOf(json) <= longestLineBytes) return { json, enabled };
  return [{ pointer: '', detail: `Is longer than ${longestLineBytes} bytes.` }];
}
