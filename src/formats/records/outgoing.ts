/** A row becomes a record to send, is passed over, or is refused here already. */

import { byteLengthOf } from './byte-length.ts';
import type { MappedField, Mapping, RecordKind } from './mapping/mapping.ts';
import { type Row, UnreadableValue } from './mapping/row.ts';
import { longestLineBytes } from './reading/lines.ts';
import type { RowOrFault } from './reading/rows.ts';

/** One thing wrong with a record: where, as an RFC 6901 pointer, and what. */
export type Fault = { pointer: string; detail: string };

export type Outcome =
  | { kind: 'record'; line: number; json: string; enabled: boolean | undefined }
  | { kind: 'refused'; line: number; faults: Fault[] }
  | { kind: 'skipped'; line: number };

export type OutgoingOptions = {
  kind: RecordKind;
  /** Undefined: rows have the shape of the interface already. */
  fields: readonly MappedField[] | undefined;
  skip?: Mapping['skip'];
  /** For records that name none. */
  itemType: string | undefined;
  /** Beginning of the event_id that events without one get, completed by the line: a batch sent twice is stored once. */
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
      faults.push({ pointer: pointerTo(name), detail: error.message });
    }
  }
  return { document, faults };
}

/** `_enabled` is the command line's own: the status travels beside the item. */
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

function pointerTo(name: string): string {
  return `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
