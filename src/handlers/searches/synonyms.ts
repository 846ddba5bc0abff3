/** Operations of SynonymService. */

import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  type Synonym as SynonymMessage,
  SynonymSchema,
} from '../../../gen/es/personalisation/v1/synonym_pb.js';
import {
  SynonymService,
  type TrySynonymRequest,
} from '../../../gen/es/personalisation/v1/synonym_service_pb.js';
import { DomainError, type Violation } from '../../errors.ts';
import type { ServingEnvironment } from '../../ranking/environment/serving-environment.ts';
import type { Follower } from '../../ranking/runtime/follower.ts';
import type { Synonym } from '../../ranking/search/search.ts';
import type { FoundItem } from '../../ranking/search/serving/served-search.ts';
import { type TriedQuery, trySynonym } from '../../ranking/search/serving/synonym-trial.ts';
import type { Database } from '../../repository/database.ts';
import {
  type DocumentRow,
  deleteDocument,
  findDocument,
  listDocuments,
  saveDocument,
  synonyms as synonymKind,
} from '../../repository/kept/documents.ts';
import { listQueryCounts, type StoredQueryCount } from '../../repository/search/search-queries.ts';
import { implement } from '../chain/implement.ts';
import { checkId, refuse } from '../chain/refuse.ts';
import { actorOf } from '../messages/actor.ts';
import { readMessages } from '../messages/pages.ts';
import { titleOf } from '../recommendations/shown-items.ts';
import type { QueryCounts } from './queries/query-counts.ts';
import type { SearchFeedback } from './replica/click-replica.ts';

const pageLimits = { usual: 100, most: 1_000 };
const usualQueryCount = 1_000;
const usualHitCount = 5;
const mostTold = 100;

export type SynonymHandlersOptions = {
  db: Database;
  environments: ReadonlyMap<string, ServingEnvironment>;
  synonyms: Pick<Follower, 'refresh'>;
  queryCounts: Pick<QueryCounts, 'flush'>;
  feedback: Pick<SearchFeedback, 'worthOf'>;
  clock: () => number;
};

export function createSynonymHandlers(options: SynonymHandlersOptions) {
  const { db, synonyms } = options;
  return implement(SynonymService, {
    listSynonyms: ({ environment, ...page }, call) =>
      readMessages('synonyms', page, call, {
        kinds: ['string'],
        list: (limit, after) => listDocuments(db, synonymKind, environment, { after: after?.[0], limit }),
        keyOf: ({ id }) => [id],
        chosen: ['synonyms', environment],
        limits: pageLimits,
        schema: SynonymSchema,
        messageOf,
      }),
    async getSynonym({ environment, synonymId }) {
      const row = await findDocument(db, synonymKind, environment, synonymId);
      if (!row) throw unknownSynonym(environment, synonymId);
      return { synonym: messageOf(row) };
    },
    async putSynonym({ environment, synonymId, synonym, expectedRevision }, call) {
      refuse(checkId(synonym!.synonymId, synonymId, '/synonym_id'));
      const document = ruleOf(synonym!);
      const write = { environment, id: synonymId, expectedRevision, document, ...actorOf(call) };
      const revision = await saveDocument(db, synonymKind, write);
      await synonyms.refresh();
      return { revision };
    },
    async deleteSynonym({ environment, synonymId, expectedRevision }, call) {
      const write = { environment, id: synonymId, expectedRevision, ...actorOf(call) };
      const isDeleted = await deleteDocument(db, synonymKind, write);
      if (!isDeleted) throw unknownSynonym(environment, synonymId);
      await synonyms.refresh();
      return {};
    },
    trySynonym: (request) => answerTrial(request, options),
  });
}

function ruleOf({ words, from, to }: SynonymMessage, at = ''): Synonym {
  const violations: Violation[] = [];
  if (words.length > 0 === (from.length > 0 && to.length > 0) || from.length > 0 !== to.length > 0)
    violations.push({ pointer: at, detail: 'Must have either words, or from and to.' });
  if (words.length === 1) violations.push({ pointer: `${at}/words`, detail: 'Must be two words or more.' });
  for (const [name, phrases] of Object.entries({ words, from, to }))
    for (const [i, phrase] of phrases.entries())
      if (!/[\p{L}\p{N}]/u.test(phrase))
        violations.push({ pointer: `${at}/${name}/${i}`, detail: 'Must have a letter or digit.' });
  refuse(violations);
  return words.length > 0 ? { words } : { from, to };
}

async function answerTrial(
  { environment, synonym, queryCount = usualQueryCount, limit = usualHitCount }: TrySynonymRequest,
  { db, environments, queryCounts, feedback, clock }: SynonymHandlersOptions,
) {
  const rule = ruleOf(synonym!, '/synonym');
  const serving = environments.get(environment)!;
  await queryCounts.flush();
  const listing = { environment, limit: queryCount };
  const counts = [
    ...(await listQueryCounts(db, { ...listing, withoutResults: true })),
    ...(await listQueryCounts(db, { ...listing, withoutResults: false })),
  ];
  const byQuery = new Map(counts.map((count) => [count.query, count]));
  const name = synonym!.synonymId ?? '';
  const queries = [...byQuery.keys()];
  const changed = await trySynonym({
    environment: serving,
    worthOf: feedback.worthOf,
    name,
    rule,
    queries,
    hitCount: limit,
    nowMs: clock(),
  });
  const isFound = ({ before, after }: TriedQuery) => before.length === 0 && after.length > 0;
  const told = changed
    .map((tried) => ({ ...tried, isFound: isFound(tried), count: byQuery.get(tried.query)! }))
    .sort((a, b) => Number(b.isFound) - Number(a.isFound) || b.count.searches - a.count.searches);
  return {
    queryCount: queries.length,
    changedCount: changed.length,
    foundCount: changed.filter(isFound).length,
    queries: told.slice(0, mostTold).map(({ count, ...tried }) => triedMessage(tried, count, serving)),
  };
}

function triedMessage(
  { query, before, after }: TriedQuery,
  { searches, withoutResults }: StoredQueryCount,
  serving: ServingEnvironment,
) {
  const hit = ({ itemId, itemType }: FoundItem) => {
    return { itemId, itemType, title: titleOf({ itemId, itemType }, serving) };
  };
  return { query, searches, withoutResults, before: before.map(hit), after: after.map(hit) };
}

function messageOf({ id: synonymId, revision, document, updatedAt }: DocumentRow) {
  const rule = document as { words?: string[]; from?: string[]; to?: string[] };
  return create(SynonymSchema, { ...rule, synonymId, revision, updateTime: timestampFromDate(updatedAt) });
}

function unknownSynonym(environment: string, synonymId: string): DomainError {
  const message = `The environment ${JSON.stringify(environment)} has no synonym ${JSON.stringify(synonymId)}.`;
  return new DomainError('SYNONYM_UNKNOWN', message, { metadata: { environment, synonym_id: synonymId } });
}
