/** The catalogue operations: finding items, and counting the values that they have. */

import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  CatalogueService,
  CountItemValuesResponseSchema,
  GetItemFiguresResponseSchema,
  type ListItemsRequest,
  ListItemsResponseSchema,
  PutItemsResponseSchema,
} from '../../../gen/es/personalisation/v1/catalogue_service_pb.js';
import { ConfigurationSchema } from '../../../gen/es/personalisation/v1/configuration_pb.js';
import { type BrowseQuestion, type Browser, countValues, createBrowser } from '../../catalog/browse.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { parseConfiguration } from '../../configurations/grammar/parse-rules.ts';
import { DomainError, type Violation } from '../../errors.ts';
import type { Database } from '../../repository/database.ts';
import { countItemEvents } from '../../repository/events/newest-events.ts';
import { findItems, listItemsWithoutImages } from '../../repository/items/item-browse.ts';
import type { ItemRow } from '../../repository/items/items.ts';
import { type BoundQuery, bindQuery } from '../../rules/bind.ts';
import type { Query } from '../../rules/types.ts';
import type { ServingEnvironment } from '../../serving/environment/serving-environment.ts';
import { implement } from '../chain/implement.ts';
import { refuse } from '../chain/refuse.ts';
import { readOrderBy } from '../messages/order-by.ts';
import { itemMessageOf } from './item-documents.ts';
import { type ItemImportOptions, storeBatch } from './item-streams.ts';

const usualPageSize = 50;
const usualValueCount = 100;

const usualFigureDays = 28;
const dayMs = 86_400_000;

export type CatalogueHandlersOptions = ItemImportOptions & {
  environments: ReadonlyMap<string, ServingEnvironment>;
  /** Milliseconds since the epoch. */
  clock: () => number;
};

export function createCatalogueHandlers(options: CatalogueHandlersOptions) {
  const { db, environments, clock } = options;
  const browsers = new Map<string, Browser>();
  for (const [name, { catalog }] of environments) browsers.set(name, createBrowser(catalog));

  return implement(CatalogueService, {
    async listItems(request) {
      const { environment } = request;
      const serving = environments.get(environment)!;
      const nowMs = clock();
      const { queries, offset, ...question } = readQuestion(request, serving, nowMs);
      const pictureless = request.missing.includes('images')
        ? await findPictureless(db, environment, serving)
        : undefined;
      const holds = createTest(request, queries, { serving, pictureless, nowMs });
      const found = browsers.get(environment)!.find({ ...question, holds });
      const end = offset + (request.pageSize ?? usualPageSize);
      const { catalog } = serving;
      const names = found.slice(offset, end).map((itemIndex) => ({
        itemType: catalog.itemTypeAt(itemIndex),
        itemId: catalog.itemIdAt(itemIndex),
      }));
      return create(ListItemsResponseSchema, {
        items: (await findItems(db, environment, names)).map((row) =>
          itemMessageOf(withFields(row, request.fields)),
        ),
        nextPageToken: end < found.length ? String(end) : '',
        totalSize: found.length,
      });
    },
    async putItems({ environment, items, validateOnly }) {
      const stored = await storeBatch(options, { environment, items, isTrial: validateOnly });
      return create(PutItemsResponseSchema, stored);
    },
    async getItemFigures({ environment, itemType, itemId, days = usualFigureDays }) {
      const from = new Date((Math.floor(clock() / dayMs) - days + 1) * dayMs);
      const counted = await countItemEvents(db, environment, { itemType, itemId, from });
      return create(GetItemFiguresResponseSchema, {
        figures: counted.figures.map(({ startAt, ...figure }) => ({
          ...figure,
          startTime: timestampFromDate(startAt),
        })),
        partial: counted.isPartial,
      });
    },
    async countItemValues({ environment, key, text = '', limit = usualValueCount }) {
      const counts = countValues(environments.get(environment)!.catalog, key);
      if (!counts) throw unknownKey(key);
      const folded = text.toLowerCase();
      const values = counts.values.filter(({ value }) => String(value).toLowerCase().includes(folded));
      return create(CountItemValuesResponseSchema, {
        ...counts,
        valueCount: values.length,
        values: values
          .slice(0, limit)
          .map(({ value, itemCount }) => ({ value: valueMessage(value), itemCount })),
      });
    },
  });
}

const identityFields = ['environment', 'item_type', 'item_id'];

/** Of the document what is named, and its identity. */
function withFields(row: ItemRow, fields: readonly string[]): ItemRow {
  if (fields.length === 0) return row;
  const shown = new Set([...identityFields, ...fields]);
  const entries = Object.entries(row.document as object).filter(([name]) => shown.has(name));
  return { ...row, document: Object.fromEntries(entries) };
}

type Question = Omit<BrowseQuestion, 'holds'> & { queries: BoundQuery[]; offset: number };

function readQuestion(request: ListItemsRequest, { catalog }: ServingEnvironment, nowMs: number): Question {
  const { filter, text, status, missing, orderBy, pageToken } = request;
  const asRules = create(ConfigurationSchema, { preferences: filter.map((query) => ({ query })) });
  const { configuration, violations, keys } = parseConfiguration(asRules);
  const unknown = [...keys.keys(), ...missing].find((key) => key !== 'images' && !catalog.column(key));
  if (unknown !== undefined) throw unknownKey(unknown);
  const order = orderBy ? readOrderBy(orderBy) : undefined;
  const offset = Number(pageToken || 0);
  const faults: Violation[] = violations.map(({ detail }) => ({ pointer: 'query:filter', detail }));
  if (order && !catalog.column(order.key))
    faults.push({ pointer: 'query:order_by', detail: 'Is neither a field of Item nor a declared property.' });
  if (!Number.isInteger(offset) || offset < 0)
    faults.push({ pointer: 'query:page_token', detail: 'Is not the token of a page.' });
  refuse(faults);
  const queries = configuration.preferences.map(({ query }) => bound(query, catalog, nowMs));
  const conditions = queries.map((query) => query.key);
  /** What has expired changes with the clock alone; conditions say in their keys which moment they mean. */
  const expiredAtMs = status === 'expired' ? nowMs : undefined;
  /** The database says what lacks pictures, and no write that comes while it is asked is part of that. */
  const picturesAt = missing.includes('images') ? catalog.changes.position : undefined;
  return {
    queries,
    orderBy: order?.key,
    descending: order?.descending,
    offset,
    key: JSON.stringify([conditions, text, status, expiredAtMs, missing, picturesAt, orderBy]),
  };
}

function bound(query: Query, catalog: Catalog, nowMs: number): BoundQuery {
  const binding = bindQuery(query, { catalog, variables: () => undefined, nowMs });
  if (binding.outcome === 'bound') return binding.query;
  const detail = 'Conditions on a catalogue have no variables.';
  throw new DomainError('PARAMETER_INVALID', detail, { violations: [{ pointer: 'query:filter', detail }] });
}

type TestContext = {
  serving: ServingEnvironment;
  /** Undefined when nobody asked. */
  pictureless: ReadonlySet<number | undefined> | undefined;
  nowMs: number;
};

/** Good until the catalogue's next write. */
function createTest(
  { text = '', status, missing }: ListItemsRequest,
  queries: readonly BoundQuery[],
  { serving, pictureless, nowMs }: TestContext,
): (itemIndex: number) => boolean {
  const { catalog, matchSets } = serving;
  const sets = queries.map(matchSets.get);
  const lacking = missing.filter((key) => key !== 'images').map((key) => catalog.column(key)!);
  const folded = text.toLowerCase();
  const hasStatus = statusTests[status ?? ''](catalog, nowMs);
  const isNamed = (itemIndex: number) =>
    catalog.titleAt(itemIndex)?.toLowerCase().includes(folded) ||
    catalog.itemIdAt(itemIndex).toLowerCase().includes(folded);
  return (itemIndex) =>
    hasStatus(itemIndex) &&
    (pictureless?.has(itemIndex) ?? true) &&
    sets.every((set) => set.has(itemIndex)) &&
    lacking.every((column) => column.valuesAt(itemIndex).length === 0) &&
    (folded === '' || Boolean(isNamed(itemIndex)));
}

type StatusTest = (catalog: Catalog, nowMs: number) => (itemIndex: number) => boolean;

const statusTests: Record<string, StatusTest> = {
  '': () => () => true,
  enabled:
    ({ isEnabled }) =>
    (itemIndex) =>
      isEnabled(itemIndex),
  disabled:
    ({ isEnabled }) =>
    (itemIndex) =>
      !isEnabled(itemIndex),
  expired:
    ({ expiresAt }, nowMs) =>
    (itemIndex) =>
      expiresAt(itemIndex) <= nowMs,
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

function valueMessage(value: string | number | boolean) {
  if (typeof value === 'string') return { kind: { case: 'stringValue' as const, value } };
  if (typeof value === 'number') return { kind: { case: 'numberValue' as const, value } };
  return { kind: { case: 'boolValue' as const, value } };
}
