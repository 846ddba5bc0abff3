/** Items from records of a stream. A record that is read again stores the same item again. */

import { create, fromBinary, type JsonValue } from '@bufbuild/protobuf';
import { ItemSchema } from '../../../gen/es/personalisation/v1/item_pb.js';
import { ImportedItemSchema, type Refusal } from '../../../gen/es/personalisation/v1/item_service_pb.js';
import { parseJson } from '../../formats/records/reading/parse-json.ts';
import { advanceStream } from '../../repository/events/stream-offsets.ts';
import { type ReceivedRecords, readForm } from '../messages/stream-records.ts';
import { applyChanges } from './item-changes.ts';
import { type ItemImportOptions, storeBatch } from './item-streams.ts';

/** Returns the number of stored items; undefined if records of the range were stored before. */
export function createItemReceiver(options: ItemImportOptions) {
  return async (records: ReceivedRecords): Promise<number | undefined> => {
    const { range, values, refuse } = records;
    const { acceptedCount, refused } = await (records.format === 'protobuf' ? storeMessages : storeJson)(
      options,
      records,
    );
    await refuse(refused.map(({ line, details }) => ({ index: Number(line), violations: details })));
    const isAdvanced = await advanceStream(options.db, range);
    const tombstoneCount = values.filter((value) => value === null).length;
    return isAdvanced ? acceptedCount - tombstoneCount : undefined;
  };
}

type Stored = Promise<{ acceptedCount: number; refused: Refusal[] }>;

/** Stores JSON of items as created, or the changes of Debezium. */
function storeJson(options: ItemImportOptions, { environment, format, values }: ReceivedRecords): Stored {
  const changes = values.map((value): JsonValue => {
    const json = value && parse(new TextDecoder().decode(value));
    return format === 'debezium' || json === null ? json : { op: 'u', after: json };
  });
  return applyChanges(options, environment, changes);
}

/** Returns text that is no JSON as it is; no change or item is a text. */
function parse(text: string): JsonValue {
  try {
    return parseJson(text).value as JsonValue;
  } catch {
    return text;
  }
}

async function storeMessages(options: ItemImportOptions, { environment, values }: ReceivedRecords): Stored {
  const items = values.flatMap((value, line) => {
    const form = readForm(value, (bytes) => fromBinary(ItemSchema, bytes));
    if (form === undefined || form.case === 'json') return [];
    const item = form.case === 'message' ? { case: 'item' as const, value: form.value } : form;
    return create(ImportedItemSchema, { line: BigInt(line), form: item });
  });
  const { acceptedCount, refused } = await storeBatch(options, { environment, items });
  return { acceptedCount: acceptedCount + values.length - items.length, refused };
}
