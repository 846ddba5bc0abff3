/** Converts a row into a record to send, or skips or refuses it. */

import { pointerStep } from '../../errors.ts';
import { byteLengthOf } from './byte-length.ts';
import type { MappedField, Mapping, RecordKind } from './mapping/mapping.ts';
import { type Row, UnreadableValue } from './mapping/row.ts';
import { longestLineBytes } from './reading/lines.ts';
import type { RowOrFault } from './reading/rows.ts';

/** One fault of a record, with an RFC 6901 pointer. */
export type Fault = { pointer: string; detail: string };

export type Outcome =
  | { kind: 'record'; line: number; json: string; enabled: boolean | undefined }
  | { kind: 'refused'; line: number; faults: Fault[] }
  | { kind: 'skipped'; line: number };

export type OutgoingOptions = {
  kind: RecordKind;
  /** Undefined if rows have the shape of the API. */
  fields: readonly MappedField[] | undefined;
  skip?: Mapping['skip'];
  /** Default for records without an item type. */
  itemType: string | undefined;
  /**
   * Prefix of generated event IDs, completed by the line, so that a batch sent twice is stored
   * once.
   */
  eventIdPrefix: string;
};

type Document = Record<string, unknown>;

export function toOutcome(source: RowOrFault, options: OutgoingOptions): Outcome {
  const { line } = source;
  if (source.fault !== undefined) return refused(line, [{ pointer: '', detail: source.fault }]);
  if (options.skip?.(source.row)) return { kind: 'skipped', line };
  const { document, faults } = buildDocument(source.row, options.fields);
  if (faults.length > 0) return refused(line, faults);
  return options.kind === 'items'
    ? finishItem(line, document, options)
    : finishEvent(line, document, options);
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

/** `_enabled` is a property of the command line; the status is sent beside the item. */
function finishItem(line: number, document: Document, { itemType }: OutgoingOptions): Outcome {
  const { _enabled: enabled, ...item } = document;
  if (enabled !== undefined && typeof enabled !== 'boolean')
    return refused(line, [{ pointer: '/_enabled', detail: 'Must be true or false.' }]);
  if (itemType !== undefined && item.item_type == null) item.item_type = itemType;
  return finish(line, item, enabled);
}

function finishEvent(line: number, document: Document, options: OutgoingOptions): Outcome {
  const { itemType, eventIdPrefix } = options;
  const event = { ...document };
  if (event.event_id == null || event.event_id === '') event.event_id = `${eventIdPrefix}${line}`;
  if (itemType !== undefined && event.action_item != null && event.action_item_type == null)
    event.action_item_type = itemType;
  return finish(line, event, undefined);
}

function finish(line: number, document: Document, enabled: boolean | undefined): Outcome {
  const json = JSON.stringify(document);
  if (byteLengthOf(json) <= longestLineBytes) return { kind: 'record', line, json, enabled };
  return refused(line, [{ pointer: '', detail: `Is longer than ${longestLineBytes} bytes.` }]);
}

function refused(line: number, faults: Fault[]): Outcome {
  return { kind: 'refused', line, faults };
}
