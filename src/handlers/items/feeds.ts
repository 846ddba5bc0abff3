/** Product feeds of the deployment file, streamed from the catalogue. */

import { createHash } from 'node:crypto';
import { FeedService } from '../../../gen/es/personalisation/v1/feed_service_pb.js';
import type { Deployment } from '../../deployment/deployment.ts';
import { DomainError } from '../../errors.ts';
import { type FeedFormat, feedFormats } from '../../formats/feeds/feed-formats.ts';
import { type FeedSettings, missingAttribute, toProduct } from '../../formats/feeds/product.ts';
import type { Catalog } from '../../ranking/catalog/catalog.ts';
import { nextTurn } from '../../ranking/runtime/slices.ts';
import type { Database } from '../../repository/database.ts';
import { type ItemRow, listItemFeedEnds, streamItems } from '../../repository/items/items.ts';
import type { Authenticator } from '../../security/authenticate.ts';
import { implement } from '../chain/implement.ts';
import { inParts } from '../messages/message-parts.ts';

export type FeedHandlersOptions = {
  db: Database;
  deployment: Deployment;
  catalogOf(environment: string): Catalog;
  require: Authenticator['require'];
  clock: () => number;
};

/** Exports without a token under way on a node; each reads the whole catalogue. */
const mostPublicExports = 8;

/** Rows rendered before other work gets its turn. */
const rowsPerTurn = 50;
/** Items counted before other work gets its turn. */
const itemsPerTurn = 20_000;

export function createFeedHandlers({ db, deployment, catalogOf, require, clock }: FeedHandlersOptions) {
  let publicExports = 0;
  async function* countPublic<Part>(parts: AsyncIterable<Part>) {
    if (publicExports >= mostPublicExports)
      throw new DomainError('UNAVAILABLE', `${mostPublicExports} exports are under way; try again.`);
    publicExports += 1;
    try {
      yield* parts;
    } finally {
      publicExports -= 1;
    }
  }
  async function* exportWhole(exporting: Exporting, ending: string, environment: string) {
    const { feed, format, nowMs } = exporting;
    const etag = await tagOf(db, [feed, [...feed.itemTypes], ending], catalogOf(environment), nowMs);
    yield { contentType: format.contentType, etag, lines: format.head(feed) };
    yield* exportProducts(streamItems(db, environment), exporting);
  }
  return implement(FeedService, {
    async *exportFeed(requests, call) {
      for await (const { environment, feed: file } of requests) {
        const [, name = '', ending = ''] = /^(.+)\.(\w+)$/.exec(file) ?? [];
        const feed = deployment.environments.get(environment)!.feeds.get(name);
        const format = Object.hasOwn(feedFormats, ending) ? feedFormats[ending] : undefined;
        if (!feed?.isPublic) require(call, { area: 'items', subject: 'This feed' }, environment);
        if (!feed || !format) throw feedUnknown(file);
        const whole = exportWhole({ feed, format, nowMs: clock() }, ending, environment);
        yield* call.caller ? whole : countPublic(whole);
      }
    },
  });
}

/** The state of the catalogue, and how many items are published and expired by now: equal tags, equal feeds. */
async function tagOf(db: Database, settings: unknown, catalog: Catalog, nowMs: number): Promise<string> {
  const ends = await listItemFeedEnds(db);
  let [published, expired] = [0, 0];
  for (let itemIndex = 0; itemIndex < catalog.itemCount; itemIndex += 1) {
    if (catalog.publishedAt(itemIndex) <= nowMs) published += 1;
    if (catalog.expiresAt(itemIndex) <= nowMs) expired += 1;
    if (itemIndex % itemsPerTurn === itemsPerTurn - 1) await nextTurn();
  }
  const state = [settings, ends.map(({ bucket, last }) => [bucket, last]), published, expired];
  return createHash('sha256').update(JSON.stringify(state)).digest('base64url').slice(0, 22);
}

type Exporting = { feed: FeedSettings; format: FeedFormat; nowMs: number };

async function* exportProducts(batches: AsyncIterable<ItemRow[]>, { feed, format, nowMs }: Exporting) {
  const leftOut: Record<string, number> = {};
  let itemCount = 0;
  for await (const rows of batches) {
    const lines: string[] = [];
    for (const [i, row] of rows.entries()) {
      if (i % rowsPerTurn === rowsPerTurn - 1) await nextTurn();
      if (!isShown(row, feed, nowMs)) continue;
      const product = toProduct(row.document as Record<string, unknown>, feed);
      const missing = missingAttribute(product, format.kind);
      if (missing === undefined) lines.push(format.line(product, feed));
      else leftOut[missing] = (leftOut[missing] ?? 0) + 1;
    }
    itemCount += lines.length;
    for (const part of inParts(lines, ({ length }) => length)) yield { lines: part };
  }
  yield { lines: format.tail, itemCount, leftOut };
}

function isShown(
  { document, enabled, itemType }: ItemRow,
  { itemTypes }: FeedSettings,
  nowMs: number,
): boolean {
  const { publication_datetime: published, expiration_datetime: expires } = document as Record<
    string,
    string
  >;
  const isWanted = itemTypes.size === 0 || itemTypes.has(itemType);
  return enabled && isWanted && !(Date.parse(published) > nowMs) && !(Date.parse(expires) <= nowMs);
}

function feedUnknown(file: string): DomainError {
  const formats = Object.keys(feedFormats).map((ending) => `.${ending}`);
  return new DomainError(
    'ROUTE_UNKNOWN',
    `There is no feed ${JSON.stringify(file)}. Name a feed of the deployment file, with ${formats.join(', ')}.`,
  );
}
