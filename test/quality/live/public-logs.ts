/** Public logs as sites: Deskdrop (articles), Complete Journey (groceries) and MovieLens (films). */

import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import type { LoggedEvent, LoggedItem, SiteLog } from './log.ts';

type Row = Readonly<Record<string, string>>;

export type PublicLog = {
  /** Settings of the deployment. */
  environment: string;
  deployment: string;
  /** @param folder Holds the files as they are distributed, packed with gzip or not. */
  read(folder: string): SiteLog;
};

const examples = resolve(import.meta.dirname, '../../../docs/examples');

const deskdropDeployment = `
environments:
  - name: articles
    item_types: [ { name: article, consumed_by: [detail_pageview] } ]
`;

export const publicLogs: Readonly<Record<string, PublicLog>> = {
  deskdrop: { environment: 'articles', deployment: deskdropDeployment, read: readDeskdrop },
  'complete-journey': {
    environment: 'grocery',
    deployment: readFileSync(`${examples}/complete-journey/deployment.yaml`, 'utf8'),
    read: readCompleteJourney,
  },
  movielens: {
    environment: 'films',
    deployment: readFileSync(`${examples}/movielens/deployment.yaml`, 'utf8'),
    read: readMovieLens,
  },
};

function readRows(folder: string, name: string): Row[] {
  const path = `${folder}/${name}.csv`;
  const text = existsSync(path) ? readFileSync(path) : gunzipSync(readFileSync(`${path}.gz`));
  return parse(text, { columns: true });
}

const deskdropEvents: Readonly<Record<string, { eventType: string; interaction?: string }>> = {
  VIEW: { eventType: 'detail_pageview' },
  LIKE: { eventType: 'item_interaction', interaction: 'like' },
  BOOKMARK: { eventType: 'item_interaction', interaction: 'save' },
  FOLLOW: { eventType: 'item_interaction', interaction: 'follow' },
  'COMMENT CREATED': { eventType: 'item_interaction', interaction: 'comment' },
};

/** The files have no articles, so an article appears with its first event and has no category. */
function readDeskdrop(folder: string): SiteLog {
  const events = readRows(folder, 'users_interactions')
    .map((row) => {
      const { eventType, interaction } = deskdropEvents[row.eventType];
      const at = Number(row.timestamp);
      const event = eventOf({
        at,
        subject: row.personId,
        itemType: 'article',
        itemId: row.contentId,
        eventType,
      });
      return interaction === undefined ? event : withFields(event, { interaction_type: interaction });
    })
    .sort(byTime);
  const items = new Map<string, LoggedItem>();
  for (const { itemId, at } of events)
    if (!items.has(itemId))
      items.set(
        itemId,
        itemOf({ itemType: 'article', itemId, title: itemId, categories: [], publishedAt: at }),
      );
  return { items: [...items.values()], events };
}

/** Products that were sold; their category is the path of department, category and type. */
function readCompleteJourney(folder: string): SiteLog {
  const events = readRows(folder, 'transactions_sample')
    .map((row) => {
      const at = Date.parse(row.transaction_timestamp.replace(' ', 'T')) / 1_000;
      const sale = { subject: row.household_id, itemType: 'product', itemId: row.product_id };
      const event = eventOf({ at, eventType: 'purchase', ...sale });
      return withFields(event, { purchased_price: Number(row.sales_value) });
    })
    .sort(byTime);
  const sold = new Set(events.map(({ itemId }) => itemId));
  const items = readRows(folder, 'products')
    .filter(({ product_id: itemId }) => sold.has(itemId))
    .map((row) => {
      const path = [row.department, row.product_category, row.product_type].filter((part) => part !== '');
      const title = `${row.product_type} ${row.package_size}`.trim() || row.department;
      const item = { itemType: 'product', itemId: row.product_id, title, categories: [path.join('/')] };
      return itemOf({ ...item, publishedAt: 0 });
    });
  return { items, events };
}

/** A rating of 3.5 stars or more is a like, a lower one a view. */
function readMovieLens(folder: string): SiteLog {
  const items = readRows(folder, 'movies').map(({ movieId: itemId, title, genres }) => {
    const categories = genres.startsWith('(') ? [] : genres.split('|');
    return itemOf({ itemType: 'film', itemId, title, categories, publishedAt: 0 });
  });
  const events = readRows(folder, 'ratings')
    .map(({ userId: subject, movieId: itemId, rating, timestamp }) => {
      const seen = { at: Number(timestamp), subject, itemType: 'film', itemId };
      if (Number(rating) < 3.5) return eventOf({ ...seen, eventType: 'detail_pageview' });
      return withFields(eventOf({ ...seen, eventType: 'item_interaction' }), { interaction_type: 'like' });
    })
    .sort(byTime);
  return { items, events };
}

type ItemFacts = Omit<LoggedItem, 'document'> & { title: string };

function itemOf({ title, ...item }: ItemFacts): LoggedItem {
  const { publishedAt } = item;
  const published =
    publishedAt === 0 ? {} : { publication_datetime: new Date(publishedAt * 1_000).toISOString() };
  return { ...item, document: { title, categories: item.categories, ...published } };
}

type EventFacts = Pick<LoggedEvent, 'at' | 'subject' | 'itemId' | 'eventType'> & { itemType: string };

function eventOf({ itemType, ...event }: EventFacts): LoggedEvent {
  const { at, subject, itemId, eventType } = event;
  const document = {
    ...{ event_type: eventType, timestamp: at, user_id: subject, device_id: `device-${subject}` },
    ...{ page_type: 'detail', action_item: itemId, action_item_type: itemType },
  };
  return { ...event, pageType: 'detail', document };
}

function withFields(event: LoggedEvent, fields: Record<string, unknown>): LoggedEvent {
  return { ...event, document: { ...event.document, ...fields } };
}

function byTime(one: LoggedEvent, other: LoggedEvent): number {
  return one.at - other.at;
}
