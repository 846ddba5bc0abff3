/**
 * The items of one environment in this process, as columns.
 *
 * Each new item gets the next index and keeps it, also when it is disabled. All of `ranking`
 * identifies items by that index. Only the fields of Item and the declared properties of a document
 * are stored.
 */
import { type AttributePair, createAttributes } from './attributes.ts';
import { createCategoryColumn } from './category-column.ts';
import { type ChangeLog, createChangeLog } from './change-log.ts';
import { createGroups, type ItemGroups, type WritableGroups } from './groups.ts';
import { grown } from './growth.ts';
import {
  type Column,
  createBooleanColumn,
  createConstantColumn,
  createDatetimeColumn,
  createNumberColumn,
  createStringColumn,
  createTextColumn,
  type Value,
  type WritableColumn,
} from './typed-columns.ts';

export type PropertyType = 'string' | 'number' | 'boolean' | 'datetime' | 'string[]';

/** A declared field in addition to those of Item. */
export type PropertyDefinition = { name: string; type: PropertyType };

/** One stored item. */
export type CatalogRow = {
  itemType: string;
  itemId: string;
  /** The item's JSON object in the interface's shape. */
  document: Readonly<Record<string, unknown>>;
  enabled: boolean;
  /** Increases with every write of the item. */
  revision: number;
};

export type Catalog = {
  readonly itemCount: number;
  /** IANA name of the zone of dates in conditions and attributes. */
  readonly timeZone: string;
  /** The changed items in order. */
  readonly changes: ChangeLog;
  readonly groups: ItemGroups;
  /** Applies a row if its revision is newer; returns the item's index in any case. */
  apply(row: CatalogRow): number;
  indexOf(itemType: string, itemId: string): number | undefined;
  /** Without a type: finds the first item of that ID in the order of the declared types. */
  indexOfId(itemId: string, itemType?: string): number | undefined;
  /** Without a type: finds the items of that ID in all types, in the same order. */
  indexesOfId(itemId: string, itemType?: string): number[];
  itemIdAt(itemIndex: number): string;
  itemTypeAt(itemIndex: number): string;
  /**
   * Breaks ties equally on every node and after a restart: by ID, shorter ones first, so that
   * numeric IDs are in numeric order.
   */
  comesBefore(itemIndex: number, other: number): boolean;
  /** Returns the item's attributes, one pair per value. */
  attributesAt(itemIndex: number): AttributePair[];
  /** Returns the revision of the item's row. */
  revisionAt(itemIndex: number): number;
  titleAt(itemIndex: number): string | undefined;
  /** Returns a field or property as answers show it; undefined when it is absent. */
  shownAt(itemIndex: number, key: string): ShownValue | undefined;
  isEnabled(itemIndex: number): boolean;
  /** Milliseconds since the epoch, or NaN. */
  publishedAt(itemIndex: number): number;
  /** Milliseconds since the epoch, or NaN. */
  expiresAt(itemIndex: number): number;
  /** Enabled and not expired. */
  isPresent(itemIndex: number, nowMs: number): boolean;
  /** Enabled, of a declared type, not published in the future and not expired. */
  servable(itemIndex: number, nowMs: number): boolean;
  /** Counts the servable items of the item's group, including itself; undefined without a group. */
  groupSizeAt(itemIndex: number, nowMs: number): number | undefined;
  /** Returns the column of a field, a declared property or `item_attributes.NAME`. */
  column(key: string): Column | undefined;
};

/** A value, an array for a list field, or the `images` as they were sent. */
type ShownValue = Value | Value[] | object;

type CatalogOptions = {
  /** The value of the key `environment` for every item. */
  environment?: string;
  properties: readonly PropertyDefinition[];
  itemTypes: readonly string[];
  /** By item type: number and datetime keys that order its items within a group. */
  groupOrders?: ReadonlyMap<string, readonly string[]>;
  /** Whether images are stored, so that answers can show them [false]. */
  holdsImages?: boolean;
  /** Changes that a reader may lag behind before it has to start over. */
  changeCapacity?: number;
  /** IANA name ['UTC']. */
  timeZone?: string;
};

const attributePrefix = 'item_attributes.';

const createPropertyColumn: Record<PropertyType, () => WritableColumn> = {
  string: createStringColumn,
  'string[]': createStringColumn,
  number: createNumberColumn,
  boolean: createBooleanColumn,
  datetime: createDatetimeColumn,
};

/** The columns of Item's own fields. */
function createFieldColumns() {
  return {
    item_id: createTextColumn(),
    item_type: createStringColumn(),
    title: createTextColumn(),
    description: createTextColumn(),
    uri: createTextColumn(),
    language: createStringColumn(),
    categories: createCategoryColumn(),
    tags: createStringColumn(),
    group_id: createStringColumn(),
    publication_datetime: createDatetimeColumn(),
    expiration_datetime: createDatetimeColumn(),
  };
}

type FieldColumns = ReturnType<typeof createFieldColumns>;

/** Fields that are not written as the document has them. */
const writtenApart: ReadonlySet<string> = new Set(['item_type', 'item_id', 'group_id']);

/** Writes the fields and declared properties of a row, and updates its group. */
function createValueWriter(
  fields: FieldColumns,
  written: ReadonlyMap<string, WritableColumn>,
  groups: Pick<WritableGroups, 'follow'>,
) {
  const documented = [...written].filter(([key]) => !writtenApart.has(key));
  return (itemIndex: number, { itemType, itemId, document }: CatalogRow): void =>
    groups.follow(itemIndex, () => {
      for (const [key, column] of documented) column.write(itemIndex, document[key]);
      fields.item_type.write(itemIndex, itemType);
      fields.item_id.write(itemIndex, itemId);
      fields.group_id.write(itemIndex, document.group_id === '' ? undefined : document.group_id);
    });
}

/** Maps external IDs to indexes. */
function createIdentities(itemTypes: readonly string[]) {
  const indexesByType = new Map(itemTypes.map((itemType) => [itemType, new Map<string, number>()]));
  const itemIds: string[] = [];
  const typesByIndex: string[] = [];

  const add = (itemType: string, itemId: string): number => {
    const indexes = indexesByType.get(itemType) ?? new Map<string, number>();
    indexesByType.set(itemType, indexes.set(itemId, itemIds.length));
    typesByIndex.push(itemType);
    return itemIds.push(itemId) - 1;
  };

  const find = (itemType: string, itemId: string) => indexesByType.get(itemType)?.get(itemId);

  const findAll = (itemId: string, itemType?: string): number[] => {
    const found =
      itemType === undefined
        ? Array.from(indexesByType.values(), (indexes) => indexes.get(itemId))
        : [find(itemType, itemId)];
    return found.filter((one) => one !== undefined);
  };

  const findOne = (itemId: string, itemType?: string): number | undefined => {
    if (itemType !== undefined) return find(itemType, itemId);
    for (const indexes of indexesByType.values()) {
      const itemIndex = indexes.get(itemId);
      if (itemIndex !== undefined) return itemIndex;
    }
    return undefined;
  };

  const comesBefore = (one: number, other: number): boolean => {
    const [id, otherId] = [itemIds[one], itemIds[other]];
    if (id.length !== otherId.length) return id.length < otherId.length;
    return id < otherId || (id === otherId && typesByIndex[one] < typesByIndex[other]);
  };
  return { itemIds, typesByIndex, add, find, findOne, findAll, comesBefore };
}

/** Returns the keys of array fields. */
function listKeysOf(properties: readonly PropertyDefinition[]): ReadonlySet<string> {
  const lists = properties.filter(({ type }) => type === 'string[]');
  return new Set(['categories', 'tags', ...lists.map(({ name }) => name)]);
}

function shownOf(column: Column | undefined, isList: boolean, itemIndex: number): ShownValue | undefined {
  const values = column?.valuesAt(itemIndex) ?? [];
  return isList && values.length > 0 ? values : values[0];
}

/** Returns the sort keys of each type within a group. */
function ordersOf(
  keysByType: ReadonlyMap<string, readonly string[]>,
  columns: ReadonlyMap<string, Column>,
): Map<string, ((itemIndex: number) => number)[]> {
  const orderOf = (keys: readonly string[]) => keys.map((key) => columns.get(key)!.numberAt!);
  return new Map(Array.from(keysByType, ([itemType, keys]) => [itemType, orderOf(keys)]));
}

/** The revision and the state of each item. */
function createStates(declaredTypes: ReadonlySet<string>) {
  let revisions = new Float64Array(0);
  let enabled = new Int8Array(0);
  /** 1 when enabled and of a declared type. */
  let offered = new Int8Array(0);
  return {
    /** Returns false, and writes nothing, unless the revision is newer. */
    write(itemIndex: number, { itemType, enabled: isEnabled, revision }: CatalogRow): boolean {
      revisions = grown(revisions, itemIndex + 1, Number.NEGATIVE_INFINITY);
      if (revision <= revisions[itemIndex]) return false;
      revisions[itemIndex] = revision;
      enabled = grown(enabled, itemIndex + 1, 0);
      offered = grown(offered, itemIndex + 1, 0);
      enabled[itemIndex] = Number(isEnabled);
      offered[itemIndex] = Number(isEnabled && declaredTypes.has(itemType));
      return true;
    },
    revisionAt: (itemIndex: number) => revisions[itemIndex],
    isEnabled: (itemIndex: number) => enabled[itemIndex] === 1,
    isOffered: (itemIndex: number) => offered[itemIndex] === 1,
  };
}

function createPresence(
  { isEnabled, isOffered }: ReturnType<typeof createStates>,
  { publication_datetime, expiration_datetime }: ReturnType<typeof createFieldColumns>,
) {
  const isExpired = (itemIndex: number, nowMs: number) => expiration_datetime.at(itemIndex) <= nowMs;
  return {
    isPresent: (itemIndex: number, nowMs: number) => isEnabled(itemIndex) && !isExpired(itemIndex, nowMs),
    servable: (itemIndex: number, nowMs: number) =>
      isOffered(itemIndex) && !(publication_datetime.at(itemIndex) > nowMs) && !isExpired(itemIndex, nowMs),
  };
}

export function createCatalog({
  environment,
  properties,
  itemTypes,
  groupOrders = new Map(),
  holdsImages = false,
  changeCapacity = 65_536,
  timeZone = 'UTC',
}: CatalogOptions): Catalog {
  const states = createStates(new Set(itemTypes));
  const listKeys = listKeysOf(properties);
  const identities = createIdentities(itemTypes);
  const fields = createFieldColumns();
  const attributes = createAttributes(timeZone);
  const images: (object | undefined)[] = [];
  const propertyColumns = properties.map(({ name, type }) => [name, createPropertyColumn[type]()] as const);
  const written = new Map<string, WritableColumn>([...propertyColumns, ...Object.entries(fields)]);
  const columns = new Map<string, Column>(written);
  if (environment !== undefined) columns.set('environment', createConstantColumn(environment));
  const typeOf = (itemIndex: number) => identities.typesByIndex[itemIndex];
  const groups = createGroups({ column: fields.group_id, typeOf, orders: ordersOf(groupOrders, written) });
  const writeValues = createValueWriter(fields, written, groups);
  const changes = createChangeLog(changeCapacity);
  const { servable, isPresent } = createPresence(states, fields);

  const apply = (row: CatalogRow): number => {
    const itemIndex = identities.find(row.itemType, row.itemId) ?? identities.add(row.itemType, row.itemId);
    if (!states.write(itemIndex, row)) return itemIndex;
    writeValues(itemIndex, row);
    attributes.write(itemIndex, row.document.item_attributes);
    if (holdsImages) images[itemIndex] = Array.isArray(row.document.images) ? row.document.images : undefined;
    changes.append(itemIndex);
    return itemIndex;
  };

  return {
    timeZone,
    get itemCount() {
      return identities.itemIds.length;
    },
    changes,
    groups,
    apply,
    indexOf: identities.find,
    indexOfId: identities.findOne,
    indexesOfId: identities.findAll,
    itemIdAt: (itemIndex) => identities.itemIds[itemIndex],
    attributesAt: attributes.pairsAt,
    revisionAt: states.revisionAt,
    itemTypeAt: typeOf,
    comesBefore: identities.comesBefore,
    titleAt: fields.title.at,
    shownAt: (itemIndex, key) =>
      key === 'images' ? images[itemIndex] : shownOf(columns.get(key), listKeys.has(key), itemIndex),
    isEnabled: states.isEnabled,
    publishedAt: fields.publication_datetime.at,
    expiresAt: fields.expiration_datetime.at,
    isPresent,
    servable,
    groupSizeAt: (itemIndex, nowMs) => groups.countOf(itemIndex, (member) => servable(member, nowMs)),
    column: (key) =>
      key.startsWith(attributePrefix)
        ? attributes.column(key.slice(attributePrefix.length))
        : columns.get(key),
  };
}
