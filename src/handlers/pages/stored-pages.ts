/** Stored pages: the rows of requests that name them. */

import { create, type JsonObject, toJson } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  type PageDefinition,
  PageDefinitionSchema,
  type PageRequest,
  type PageService,
} from '../../../gen/es/personalisation/v1/page_service_pb.js';
import type { Database } from '../../repository/database.ts';
import {
  type DocumentRow,
  deleteDocument,
  findDocument,
  listDocuments,
  pages as pageKind,
  saveDocument,
} from '../../repository/kept/documents.ts';
import type { HandlersOf } from '../chain/implement.ts';
import { checkId, notFound, refuse } from '../chain/refuse.ts';
import { actorOf } from '../messages/actor.ts';
import { readMessages } from '../messages/pages.ts';
import { activeConfigurations } from '../recommendations/gather-ingredients.ts';
import type { RecommendationHandlersOptions } from '../recommendations/recommendations.ts';
import { type PageReplica, readPageDefinition } from './page-replica.ts';
import { checkRows, messageOf } from './page-request.ts';

export type StoredPageOptions = Pick<
  RecommendationHandlersOptions,
  'environments' | 'limits' | 'configurations'
> & {
  db: Database;
  pages: Pick<PageReplica, 'find' | 'refresh'>;
  /** Receives values that are not registered. */
  warn(finding: object): void;
};

const pageLimits = { usual: 100, most: 200 };

export function createStoredPageMethods(options: StoredPageOptions) {
  const { db, environments, configurations, pages } = options;
  return {
    listPages: ({ environment, ...page }, call) =>
      readMessages('pages', page, call, {
        kinds: ['string'],
        list: (limit, after) => listDocuments(db, pageKind, environment, { after: after?.[0], limit }),
        keyOf: ({ id }) => [id],
        chosen: ['pages', environment],
        limits: pageLimits,
        schema: PageDefinitionSchema,
        messageOf: definitionOf,
      }),
    async getPage({ environment, pageId }) {
      const row = await findDocument(db, pageKind, environment, pageId);
      if (!row) throw unknownPage(pageId);
      return { page: definitionOf(row) };
    },
    async putPage({ environment, pageId, page, expectedRevision }, call) {
      const message = messageOf(page!);
      const { settings } = environments.get(environment)!;
      refuse([...checkId(page!.pageId, pageId, '/page_id'), ...checkRows(page!, message, settings, options)]);
      activeConfigurations({ environment, lists: message.lists }, configurations.find);
      const { title, rows, maximumRows, rowsPerSegment } = page!;
      const stored = create(PageDefinitionSchema, { title, rows, maximumRows, rowsPerSegment });
      const document = toJson(PageDefinitionSchema, stored, { useProtoFieldName: true }) as JsonObject;
      const write = { environment, id: pageId, expectedRevision, document, ...actorOf(call) };
      const revision = await saveDocument(db, pageKind, write);
      await pages.refresh();
      return { revision };
    },
    async deletePage({ environment, pageId: id, expectedRevision }, call) {
      const given = { environment, id, expectedRevision, ...actorOf(call) };
      if (!(await deleteDocument(db, pageKind, given))) throw unknownPage(id);
      await pages.refresh();
      return {};
    },
  } satisfies HandlersOf<typeof PageService>;
}

/** Returns a request with the rows of the stored page that it names. @throws BODY_INVALID, PAGE_UNKNOWN */
export function withStoredPage(
  request: PageRequest,
  find: (pageId: string) => PageDefinition | undefined,
): PageRequest {
  const { pageId, rows, maximumRows, rowsPerSegment } = request;
  if (pageId === undefined) {
    if (rows.length === 0) refuse([{ pointer: '/rows', detail: 'Must be present, or page_id.' }]);
    return request;
  }
  if (rows.length > 0 || (maximumRows ?? rowsPerSegment) !== undefined)
    refuse([{ pointer: '/page_id', detail: 'Must be absent with rows, maximum_rows or rows_per_segment.' }]);
  const page = find(pageId);
  if (!page) throw unknownPage(pageId);
  return { ...request, rows: page.rows, maximumRows: page.maximumRows, rowsPerSegment: page.rowsPerSegment };
}

function definitionOf(row: DocumentRow): PageDefinition {
  const { id, revision, document, updatedAt, clientId, clientName } = row;
  return create(PageDefinitionSchema, {
    ...readPageDefinition(document),
    ...{ pageId: id, revision, clientId: clientId ?? '', clientName: clientName ?? '' },
    updateTime: timestampFromDate(updatedAt),
  });
}

const unknownPage = (pageId: string) => notFound('PAGE_UNKNOWN', 'page', pageId, { page_id: pageId });
