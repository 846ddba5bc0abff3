/** Items from database rows and from records of streams: maps, stores and deletes them in batches. */

import { create, type JsonObject, type JsonValue } from '@bufbuild/protobuf';
import { stringify } from 'yaml';
import { ImportedItemSchema, type Refusal } from '../../../gen/es/personalisation/v1/item_service_pb.js';
import type { EnvironmentSettings } from '../../deployment/deployment.ts';
import { type RowChange, readChange } from '../../formats/debezium.ts';
import { type Mapping, parseMapping } from '../../formats/records/mapping/mapping.ts';
import { type Fault, type Outcome, toOutcome } from '../../formats/records/outgoing.ts';
import { setItemEnabled } from '../../repository/items/items.ts';
import { refusal } from '../messages/import-records.ts';
import { type ItemImportOptions, storeBatch } from './item-streams.ts';

type ChangedItem = { outcome: Outcome; key: string; isDeleted: boolean; isCreated: boolean };

const withoutKey = { pointer: '/item_id', detail: 'The row has no item type and ID.' };

/** Applies changes in their order. `line` of a refusal is the position of the change. */
export async function applyChanges(
  options: ItemImportOptions,
  environment: string,
  changes: readonly JsonValue[],
): Promise<{ acceptedCount: number; refused: Refusal[] }> {
  const settings = options.deployment.environments.get(environment)!;
  const refused: Refusal[] = [];
  const last = new Map<string, ChangedItem>();
  const convert = createConversion(settings);
  for (const [line, json] of changes.entries()) {
    const change = readChange(json);
    if (change === undefined) continue;
    const outcome = 'detail' in change ? refusedOf(line, change) : convert(change, line);
    const op = 'op' in change ? change.op : undefined;
    const isDeleted = op === 'd' && outcome.key !== undefined;
    if (op === 'd' && !isDeleted) refused.push(refusal(BigInt(line), [withoutKey]));
    else if (outcome.kind === 'refused' && !isDeleted) refused.push(refusal(BigInt(line), outcome.faults));
    else {
      /** An item without its type or ID is refused when it is stored. */
      const { key = `#${line}` } = outcome;
      const isCreated = op === 'c' || (op !== 'd' && last.get(key)?.isCreated === true);
      last.set(key, { outcome, key, isDeleted, isCreated });
    }
  }
  const changed = [...last.values()];
  for (const { key } of changed.filter(({ isDeleted }) => isDeleted)) await disable(options, settings, key);
  const items = changed.flatMap(({ outcome, isDeleted, isCreated }) =>
    isDeleted || outcome.kind !== 'record'
      ? []
      : create(ImportedItemSchema, {
          line: BigInt(outcome.line),
          form: { case: 'json', value: outcome.json },
          /** A row that is updated keeps the status that its item was given here. */
          enabled: outcome.enabled ?? (isCreated || undefined),
        }),
  );
  const stored = await storeBatch(options, { environment, items });
  refused.push(...stored.refused);
  refused.sort((a, b) => Number(a.line - b.line));
  return { acceptedCount: changes.length - refused.length, refused };
}

async function disable({ db, replica }: ItemImportOptions, settings: EnvironmentSettings, key: string) {
  const [itemType, itemId] = JSON.parse(key) as [string, string];
  const row = await setItemEnabled(db, { environment: settings.name, itemType, itemId }, false);
  if (row) replica.apply(row);
}

const refusedOf = (line: number, fault: Fault): Outcome => ({
  ...{ kind: 'refused', line, text: '', faults: [fault] },
});

/** Returns a function that converts a row by the mapping of its table. */
function createConversion(settings: EnvironmentSettings) {
  const { timeZone, itemTypes } = settings;
  const mappings = new Map<string, Mapping | undefined>();
  const tableOf = (name: string) => settings.changedTables.find(({ table }) => table === name);
  const mappingOf = (table: string): Mapping | undefined => {
    const document = tableOf(table)?.mapping;
    if (document && !mappings.has(table)) mappings.set(table, readMapping(table, document, timeZone));
    return mappings.get(table);
  };
  return ({ table, row }: RowChange, line: number): Outcome => {
    const mapping = mappingOf(table);
    const itemType = tableOf(table)?.itemType || mapping?.itemType;
    return toOutcome(
      { line, text: '', row },
      {
        ...{ kind: 'items', fields: mapping?.fields, skip: mapping?.skip, itemType, eventIdPrefix: '' },
        isDeclared(type, name) {
          const { properties, vectors } = itemTypes.get(type) ?? {};
          return properties?.has(name) || vectors?.has(name) || false;
        },
      },
    );
  };
}

const readMapping = (table: string, document: JsonObject, timeZone: string): Mapping =>
  parseMapping(stringify(document), `the mapping of the table ${table}`, 'items', timeZone);
