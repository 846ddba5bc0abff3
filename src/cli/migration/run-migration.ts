/** A migration: settings, items, synonyms, rules and events of another product's export, in this order. */

import { basename } from 'node:path';
import { itemFields } from '../../formats/records/mapping/propose.ts';
import type { Row } from '../../formats/records/mapping/row.ts';
import type { Connection } from '../connection/connect.ts';
import type { Http } from '../connection/http.ts';
import { callFor, contextOf, readDeclared } from '../import.ts';
import { type ImportOptions, type ImportSummary, runImport } from '../importing/run-import.ts';
import type { Fields } from './filters.ts';
import { createLosses, type Loss } from './losses.ts';
import { migrateRules, migrateSynonyms, type Outcome, readObjects } from './migrate-objects.ts';
import { createProposal } from './proposal.ts';
import { type Rival, rivals } from './rivals.ts';

export type MigrationOptions = {
  url: string;
  address?: string;
  environment: string;
  items?: string[];
  events?: string[];
  dump?: string;
  synonyms?: string[];
  rules?: string[];
  settings?: string;
  itemType?: string;
  itemMapping?: string;
  eventMapping?: string;
  dryRun?: boolean;
};

export type MigrationReport = {
  product: string;
  environment: string;
  dry_run: boolean;
  /** Counts by part. */
  parts: Record<string, Record<string, number>>;
  not_mapped: Loss[];
  /** YAML of properties to declare; empty for none. */
  proposed_properties: string;
};

type Service = { connection: Connection; http: Http; signal: AbortSignal };

export async function runMigration(
  name: string,
  options: MigrationOptions,
  { connection, http, signal }: Service,
): Promise<MigrationReport> {
  const rival = rivals[name];
  const { environment, dryRun, settings, itemType = 'product' } = options;
  const declared = await readDeclared(connection, environment);
  const losses = createLosses();
  const proposal = createProposal();
  const parts: MigrationReport['parts'] = {};
  const fields: Fields = {
    keyOf: (field) => keyOf(field, (one) => declared.isDeclared(itemType, one)),
    typeOf: (field) => declared.propertyTypes.get(field),
  };
  for (const row of settings === undefined ? [] : await readObjects(settings, signal)) {
    const { fields: proposed, unmapped } = rival.readSettings!(row);
    proposal.add(proposed);
    for (const reason of unmapped) losses.add('settings', reason, basename(settings!));
  }
  const load = (kind: 'items' | 'events', path: string) =>
    importPart({ kind, path, rival, options, note: proposal.note }, { connection, signal });
  const count = (part: string, path: string, { reasons, unmapped, ...summary }: ImportSummary) => {
    const { accepted, refused, skipped } = summary;
    addCounts(parts, part, { accepted, refused, skipped });
    const lose = (before: string, { pointer, detail, firstLine, count }: ImportSummary['reasons'][number]) =>
      losses.add(part, `${before}${pointer.slice(1)} ${detail}`.trim(), `${path}:${firstLine}`, count);
    for (const one of reasons) lose('Refused: ', one);
    for (const one of unmapped) lose('', one);
  };
  for (const path of [options.items ?? [], options.dump ?? []].flat())
    count('items', path, await load('items', path));
  const target = { connection, http, environment, rival: name, dryRun, losses, fields };
  const objectsOf = async (paths: string[] = []) =>
    (await Promise.all(paths.map((path) => readObjects(path, signal)))).flat();
  if (options.synonyms)
    addCounts(
      parts,
      'synonyms',
      await migrateSynonyms(await objectsOf(options.synonyms), rival.readSynonym!, target),
    );
  if (options.rules)
    addCounts(parts, 'rules', await migrateRules(await objectsOf(options.rules), rival.readRule!, target));
  for (const path of [options.events ?? [], options.dump ?? []].flat())
    count('events', path, await load('events', path));
  return {
    product: rival.title,
    environment,
    dry_run: dryRun === true,
    parts,
    not_mapped: losses.list(),
    proposed_properties: proposal.text(itemType, (field) => fields.keyOf(field) === attributeKey(field)),
  };
}

function addCounts(
  parts: MigrationReport['parts'],
  part: string,
  counts: Record<string, number> | Outcome,
): void {
  parts[part] ??= {};
  for (const [name, count] of Object.entries(counts)) parts[part][name] = (parts[part][name] ?? 0) + count;
}

/** Fields of Item that other products name otherwise. */
const otherNames: Readonly<Record<string, string>> = { _tags: 'tags', objectID: 'item_id', name: 'title' };
const itemKeys: ReadonlySet<string> = new Set(itemFields.map(({ name }) => name));

function keyOf(name: string, isDeclared: (name: string) => boolean): string {
  if (/^hierarchicalCategories(\.lvl\d)?$/.test(name)) return 'categories';
  const key = otherNames[name] ?? name;
  return itemKeys.has(key) || isDeclared(key) ? key : attributeKey(key);
}

const attributeKey = (name: string): string => `item_attributes.${name}`;

type Part = {
  kind: 'items' | 'events';
  /** A file, or KIND=FILE for events. */
  path: string;
  rival: Rival;
  options: MigrationOptions;
  note(json: string): void;
};

async function importPart(
  { kind, path: given, rival, options, note }: Part,
  { connection, signal }: Omit<Service, 'http'>,
): Promise<ImportSummary> {
  const { environment, url, address = url, dryRun, itemType, dump } = options;
  const [, eventKind, path = given] = (kind === 'events' && /^(\w+)=(.*)$/.exec(given)) || [];
  if (eventKind !== undefined && !rival.eventKinds?.includes(eventKind))
    throw new Error(`--events ${given}: expected ${rival.eventKinds?.join(', ') ?? 'a file'} before "=".`);
  const prepare = (row: Row): Row =>
    (kind === 'events' ? rival.prepareEvent : rival.prepareItem)?.(row, eventKind) ?? row;
  const importOptions: ImportOptions = {
    ...{ kind, path, environment, address, dryRun, itemType, resume: true },
    format: path === dump ? rival.dumpFormat : undefined,
    mappingPath:
      kind === 'items'
        ? (options.itemMapping ?? rival.itemMapping)
        : (options.eventMapping ?? rival.eventMapping),
    prepare: { name: `${rival.title} ${eventKind ?? ''}`, apply: prepare },
    ...(path === dump && {
      statePath: `${path}.${kind}.import.json`,
      reportPath: `${path}.${kind}.refused.ndjson`,
    }),
  };
  const context = contextOf(importOptions, async () => callFor(importOptions, connection), signal);
  return runImport(importOptions, {
    ...context,
    readDeclared: () => readDeclared(connection, environment),
    onBatch({ records }) {
      for (const { json } of kind === 'items' ? records : []) note(json);
    },
  });
}
