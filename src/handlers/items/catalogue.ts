/** Catalogue operations: find items and count their values. */

import { createHash } from 'node:crypto';
import { create, toBinary } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  CatalogueService,
  type ListItemsRequest,
  ListItemsRequestSchema,
} from '../../../gen/es/personalisation/v1/catalogue_service_pb.js';
import { ConfigurationSchema } from '../../../gen/es/personalisation/v1/configuration_pb.js';
import { ItemSchema } from '../../../gen/es/personalisation/v1/item_pb.js';
import { DomainError, type Violation } from '../../errors.ts';
import {
  type BrowsePlace,
  type BrowseQuestion,
  type Browser,
  countValues,
  createBrowser,
  type Found,
} from '../../ranking/catalog/browse.ts';
import type { Catalog } from '../../ranking/catalog/catalog.ts';
import type { Value } from '../../ranking/catalog/typed-columns.ts';
import type { ServingEnvironment } from '../../ranking/environment/serving-environment.ts';
import { type BoundQuery, bindQuery } from '../../ranking/rules/bind.ts';
import type { Query } from '../../ranking/rules/types.ts';
import { startOfDay } from '../../ranking/runtime/time-zones.ts';
import type { Database } from '../../repository/database.ts';
import { countItemEvents } from '../../repository/events/newest-events.ts';
import { findItems } from '../../repository/items/expected-items.ts';
import { type ItemRow, listItemsWithoutImages } from '../../repository/items/items.ts';
import { implement } from '../chain/implement.ts';
import { refuse } from '../chain/refuse.ts';
import { parseConfiguration } from '../grammar/parse-rules.ts';
import { readOrderBy } from '../messages/order-by.ts';
import { fitElements, type PageSource, readPage } from '../messages/pages.ts';
import { valueMessage } from '../messages/values.ts';
import { itemMessageOf } from './item-documents.ts';
import { changeBatch, type ItemImportOptions, storeBatch } from './item-streams.ts';
import { purgedAtMs } from './purged-items.ts';

const pageLimits = { usual: 50, most: 500 };

/** Characters of a value in a page token. For a longer value, the item's current value is used. */
const longestValue = 200;
const longValue = '';

const usualValueCount = 100;

const usualFigureDays = 28;

/** Items that a query finds by relevance. */
const mostRanked = 500;

export type CatalogueHandlersOptions = ItemImportOptions & {
  environments: ReadonlyMap<string, ServingEnvironment>;
  clock: () => number;
};

export function createCatalogueHandlers(options: CatalogueHandlersOptions) {
  const { db, environments, clock } = options;
  const browsers = new Map<string, Browser>();
  for (const [name, { catalog }] of environments) browsers.set(name, createBrowser(catalog));

  return implement(CatalogueService, {
    async listItems(request, call) {
      const { environment } = request;
      const serving = environments.get(environment)!;
      const nowMs = clock();
      const { queries, ...question } = readQuestion(request, serving, nowMs);
      const pictureless = request.missing.includes('images')
        ? await findPictureless(db, environment, serving)
        : undefined;
      const ranks = request.query ? ranksOf(request.query, serving, nowMs) : undefined;
      const holds = createTest(request, queries, { serving, pictureless, ranks, nowMs });
      const found = browsers.get(environment)!.find({ ...question, ranks, holds });
      const page = await readPage(request, pagesOf(request, found, serving.catalog));
      const { rows, end } = await readUpToBytes(db, environment, page.elements);
      const messageOf = (row: ItemRow) => itemMessageOf(withFields(row, request.fields));
      const items = fitElements(rows, { schema: ItemSchema, messageOf, call });
      const last =
        items.length < rows.length ? placeOf(rows[items.length - 1], page.elements) : page.elements[end - 1];
      return {
        items,
        nextPageToken: last === page.elements.at(-1) ? page.nextPageToken : page.tokenBehind(last),
        totalSize: found.items.length,
      };
    },
    async putItems({ environment, items, validateOnly, newerBy, patch }) {
      const batch = { environment, items, newerBy };
      if (!patch) return storeBatch(options, { ...batch, isTrial: validateOnly });
      const detail = 'Changes cannot be validated without storing them.';
      if (validateOnly)
        throw new DomainError('BODY_INVALID', detail, {
          violations: [{ pointer: '/validate_only', detail }],
        });
      return changeBatch(options, batch);
    },
    async getItemFigures({ environment, itemType, itemId, days = usualFigureDays }) {
      const { timeZone } = environments.get(environment)!.catalog;
      const dayStarts = Array.from({ length: days }, (_, day) =>
        startOfDay(clock(), timeZone, day - days + 1),
      );
      const counted = await countItemEvents(db, environment, { itemType, itemId, dayStarts });
      return {
        figures: counted.figures.map(({ startAt, ...figure }) => ({
          ...figure,
          startTime: timestampFromDate(startAt),
        })),
        partial: counted.isPartial,
      };
    },
    async countItemValues({ environment, key, text = '', limit = usualValueCount }) {
      const counts = countValues(environments.get(environment)!.catalog, key);
      if (!counts) throw unknownKey(key);
      const folded = text.toLowerCase();
      const values = counts.values.filter(({ value }) => String(value).toLowerCase().includes(folded));
      return {
        ...counts,
        valueCount: values.length,
        values: values
          .slice(0, limit)
          .map(({ value, itemCount }) => ({ value: valueMessage(value), itemCount })),
      };
    },
  });
}

const identityFields = ['environment', 'item_type', 'item_id'];

/** Keeps the named fields of the document and its identity. */
function withFields(row: ItemRow, fields: readonly string[]): ItemRow {
  if (fields.length === 0) return row;
  const shown = new Set([...identityFields, ...fields]);
  const entries = Object.entries(row.document as object).filter(([name]) => shown.has(name));
  return { ...row, document: Object.fromEntries(entries) };
}

/** Deleted items have no row, so positions are matched by name. */
function placeOf({ itemType, itemId }: ItemRow, places: readonly BrowsePlace[]): BrowsePlace {
  return places.find((place) => place.itemId === itemId && place.itemType === itemType)!;
}

/** Maximum bytes that a node reads for one page; 500 of the largest documents would be 250 MB. */
const mostPageBytes = 8_000_000;

/** Reads items until their documents exceed the limit; `end` is the number of names read. */
async function readUpToBytes(
  db: Database,
  environment: string,
  names: readonly { itemType: string; itemId: string }[],
): Promise<{ rows: ItemRow[]; end: number }> {
  const rows: ItemRow[] = [];
  let bytes = 0;
  let end = 0;
  while (end < names.length && bytes < mostPageBytes) {
    const found = await findItems(db, environment, names.slice(end, end + pageLimits.usual));
    for (const { document } of found) bytes += JSON.stringify(document).length;
    rows.push(...found);
    end = Math.min(end + pageLimits.usual, names.length);
  }
  return { rows, end };
}

/** JSON of the value that orders the item, its type and ID. The caller may have forged it. */
type ItemKey = readonly [value: string, itemType: string, itemId: string];

/**
 * Pages continue after the last item of the page before, even if other items were deleted.
 * Positions are determined at once, since the catalogue may change while documents are read.
 */
function pagesOf(
  request: ListItemsRequest,
  { items, placeOf, countTo }: Found,
  { indexOf }: Catalog,
): PageSource<BrowsePlace, ItemKey> {
  const question = { ...request, pageToken: undefined, pageSize: undefined, fields: [] };
  const hash = createHash('sha256').update(toBinary(ListItemsRequestSchema, question));
  const readPlace = ([value, itemType, itemId]: ItemKey): BrowsePlace => {
    if (value !== longValue) return { itemType, itemId, value: parseValue(value) };
    const itemIndex = indexOf(itemType, itemId);
    return itemIndex === undefined ? { itemType, itemId } : placeOf(itemIndex);
  };
  return {
    async list(limit, after) {
      const start = after ? countTo(readPlace(after)) : 0;
      return items.slice(start, start + limit).map(placeOf);
    },
    keyOf({ value, itemType, itemId }) {
      const isLong = String(value).length > longestValue;
      return [isLong ? longValue : JSON.stringify(value ?? null), itemType, itemId];
    },
    kinds: ['string', 'string', 'string'],
    chosen: ['items', hash.digest('base64url')],
    limits: pageLimits,
  };
}

/** Returns undefined for anything but a scalar. */
function parseValue(text: string): Value | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return ['string', 'number', 'boolean'].includes(typeof value) ? (value as Value) : undefined;
  } catch {
    return undefined;
  }
}

type Question = Omit<BrowseQuestion, 'holds'> & { queries: BoundQuery[] };

function readQuestion(request: ListItemsRequest, { catalog }: ServingEnvironment, nowMs: number): Question {
  const { filter, text, query, status, missing, orderBy } = request;
  const asRules = create(ConfigurationSchema, { preferences: filter.map((query) => ({ query })) });
  const { configuration, violations, keys } = parseConfiguration(asRules);
  const unknown = [...keys.keys(), ...missing].find((key) => key !== 'images' && !catalog.column(key));
  if (unknown !== undefined) throw unknownKey(unknown);
  const order = orderBy ? readOrderBy(orderBy) : undefined;
  const faults: Violation[] = violations.map(({ detail }) => ({ pointer: 'query:filter', detail }));
  if (order && !catalog.column(order.key))
    faults.push({ pointer: 'query:order_by', detail: 'Is neither a field of Item nor a declared property.' });
  if (text && query) faults.push({ pointer: 'query:text', detail: 'Must be absent beside `query`.' });
  refuse(faults);
  const queries = configuration.preferences.map(({ query }) => bound(query, catalog, nowMs));
  const conditions = queries.map((query) => query.key);
  /** Expiry depends on the clock alone; the keys of conditions include their time. */
  const expiredAtMs = status === 'expired' ? nowMs : undefined;
  /** The database knows the images, so the key has the catalogue's version before the query. */
  const picturesAt = missing.includes('images') ? catalog.changes.position : undefined;
  return {
    queries,
    orderBy: order?.key,
    descending: order?.descending,
    key: JSON.stringify([conditions, text, query, status, expiredAtMs, missing, picturesAt, orderBy]),
  };
}

function bound(query: Query, catalog: Catalog, nowMs: number): BoundQuery {
  const binding = bindQuery(query, { catalog, variables: () => undefined, nowMs });
  if (binding.outcome === 'bound') return binding.query;
  const detail = 'Conditions on a catalogue have no variables.';
  throw new DomainError('PARAMETER_INVALID', detail, { violations: [{ pointer: 'query:filter', detail }] });
}

/** Ranks, from 0, of the items that a search finds. */
function ranksOf(q: string, { searchIndex }: ServingEnvironment, nowMs: number): ReadonlyMap<number, number> {
  const [list] = searchIndex.search({ q, listSize: mostRanked, nowMs }).lists;
  return new Map(list?.items.map(({ itemIndex }, rank) => [itemIndex, rank]));
}

type TestContext = {
  serving: ServingEnvironment;
  ranks: ReadonlyMap<number, number> | undefined;
  /** Undefined if the request does not ask for missing images. */
  pictureless: ReadonlySet<number | undefined> | undefined;
  nowMs: number;
};

/** Creates a test that is valid until the catalogue's next write. */
function createTest(
  { text = '', query = text, status, missing }: ListItemsRequest,
  queries: readonly BoundQuery[],
  { serving, pictureless, ranks, nowMs }: TestContext,
): (itemIndex: number) => boolean {
  const { catalog, matchSets } = serving;
  const sets = queries.map(matchSets.get);
  const lacking = missing.filter((key) => key !== 'images').map((key) => catalog.column(key)!);
  const folded = query.trim().toLowerCase();
  const hasStatus = statusTests[status ?? ''](catalog, nowMs);
  const isNamed = (itemIndex: number) =>
    catalog.titleAt(itemIndex)?.toLowerCase().includes(folded) ||
    catalog.itemIdAt(itemIndex).toLowerCase().includes(folded);
  return (itemIndex) =>
    catalog.expiresAt(itemIndex) !== purgedAtMs &&
    hasStatus(itemIndex) &&
    (pictureless?.has(itemIndex) ?? true) &&
    sets.every((set) => set.has(itemIndex)) &&
    lacking.every((column) => column.valuesAt(itemIndex).length === 0) &&
    (folded === '' || ranks?.has(itemIndex) || Boolean(isNamed(itemIndex)));
}

type StatusTest = (catalog: Catalog, nowMs: number) => (itemIndex: number) => boolean;

const statusTests: Record<string, StatusTest> = {
  '': () => () => true,
  enabled: (catalog) => catalog.isEnabled,
  disabled: (catalog) => (itemIndex) => !catalog.isEnabled(itemIndex),
  expired: (catalog, nowMs) => (itemIndex) => catalog.expiresAt(itemIndex) <= nowMs,
};

async function findPictureless(
  db: Database,
  environment: string,
  { catalog }: ServingEnvironment,
): Promise<Set<number | undefined>> {
  const names = await listItemsWithoutImages(db, environment);
  return new Set(names.map(({ itemType, itemId }) => catalog.indexOf(itemType, itemId)));
}

function unknownKey(key: string): DomainError {
  return new DomainError('METADATA_KEY_UNKNOWN', `No item type declares the key ${JSON.stringify(key)}.`, {
    metadata: { key },
  });
}
