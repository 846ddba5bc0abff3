/** The products that `migrate` reads, one entry each. Items and events have ready mappings (formats/records/mapping). */

import type { Format } from '../../formats/records/formats.ts';
import type { Row } from '../../formats/records/mapping/row.ts';
import { prepareAlgoliaEvent, readAlgoliaRule, readAlgoliaSettings, readAlgoliaSynonym } from './algolia.ts';
import type { Fields } from './filters.ts';
import type { MappedRule } from './search-rules.ts';
import { readTypesenseRule, readTypesenseSettings, readTypesenseSynonym } from './typesense.ts';

/** A synonym in the terms of this service, or the reason why it does not map. */
export type MappedSynonym = { id: string; words?: string[]; from?: string[]; to?: string[]; reason?: string };

/** A field that the deployment file may declare as a property. */
export type ProposedField = {
  name: string;
  /** Undefined if the source does not tell it. */
  type: string | undefined;
  /** Weight in searches; undefined if it is not searched. */
  weight: number | undefined;
  isFilter: boolean;
};

export type Rival = {
  title: string;
  itemMapping: string;
  prepareItem?(row: Row): Row;
  eventMapping: string;
  /** @param kind Of `--events KIND=FILE`. */
  prepareEvent?(row: Row, kind: string | undefined): Row;
  /** Names for `--events KIND=FILE`, if its files do not tell the kind of their events. */
  eventKinds?: readonly string[];
  /** Format of a file with items and events. */
  dumpFormat?: Format;
  readSynonym?(object: Row): MappedSynonym;
  readRule?(object: Row, fields: Fields): MappedRule;
  readSettings?(object: Row): { fields: ProposedField[]; unmapped: string[] };
};

export const rivals: Readonly<Record<string, Rival>> = {
  algolia: {
    title: 'Algolia',
    itemMapping: 'algolia',
    eventMapping: 'algolia-events',
    prepareEvent: prepareAlgoliaEvent,
    readSynonym: readAlgoliaSynonym,
    readRule: readAlgoliaRule,
    readSettings: readAlgoliaSettings,
  },
  recombee: {
    title: 'Recombee',
    itemMapping: 'recombee',
    eventMapping: 'recombee-events',
    eventKinds: ['detailviews', 'purchases', 'cartadditions', 'bookmarks', 'ratings', 'viewportions'],
    prepareEvent: prepareRecombeeEvent,
    readSynonym: ({ id, term, synonym, oneWay }) =>
      oneWay
        ? { id: String(id), from: [String(term)], to: [String(synonym)] }
        : { id: String(id), words: [String(term), String(synonym)] },
  },
  gorse: {
    title: 'Gorse',
    itemMapping: 'gorse',
    prepareItem: prepareGorseItem,
    eventMapping: 'gorse-events',
    dumpFormat: 'gorse-dump',
  },
  typesense: {
    title: 'Typesense',
    itemMapping: 'typesense',
    eventMapping: 'typesense-events',
    prepareEvent: ({ doc_id, doc_ids = doc_id, ...row }) => ({ ...row, doc_ids: [doc_ids].flat() }),
    readSynonym: readTypesenseSynonym,
    readRule: readTypesenseRule,
    readSettings: readTypesenseSettings,
  },
  personalize: {
    title: 'Amazon Personalize',
    itemMapping: 'personalize',
    prepareItem: preparePersonalizeItem,
    eventMapping: 'personalize-events',
  },
};

/** Recombee's price is that of all pieces. */
function prepareRecombeeEvent(row: Row, kind: string | undefined): Row {
  const { price, amount, ...others } = row;
  const count = Number(amount || 1);
  const each = price === undefined || price === '' || price === null ? undefined : Number(price) / count;
  return {
    kind,
    amount: kind === 'purchases' || kind === 'cartadditions' ? count : amount,
    ...others,
    price_each: each,
  };
}

/** Labels of an object become fields of the item; those of an array stay labels. */
function prepareGorseItem({ Labels, ...row }: Row): Row {
  const isObject = typeof Labels === 'object' && Labels !== null && !Array.isArray(Labels);
  return isObject ? { ...(Labels as Row), ...row } : { ...row, Labels };
}

/** Joins the levels of a category, unless the first has several values. */
function preparePersonalizeItem(row: Row): Row {
  const levels = ['CATEGORY_L1', 'CATEGORY_L2', 'CATEGORY_L3', 'CATEGORY_L4'].map((name) => row[name]);
  const isPath = levels.every((level) => !String(level ?? '').includes('|'));
  return isPath && levels[0] ? { ...row, CATEGORY_PATH: levels.filter(Boolean).join(' > ') } : row;
}
