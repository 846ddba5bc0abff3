/** `personalisation migrate parity`: compares another product's answers with those of this service to the same questions. */

import { type Command, InvalidArgumentError } from 'commander';
import { RecommendationService } from '../../../gen/es/personalisation/v1/recommendation_service_pb.js';
import { SearchService } from '../../../gen/es/personalisation/v1/search_service_pb.js';
import { overlapAt, rankBiasedOverlap } from '../../jobs/evaluation/search/list-overlap.ts';
import { interruptibleAction } from '../connection/actions.ts';
import type { Connection } from '../connection/connect.ts';
import { type EnvironmentOptions, withConnection } from '../connection/options.ts';
import { formatTable, print } from '../output.ts';

type Options = EnvironmentOptions & {
  queries: string;
  k: number;
  configuration?: string;
  limit: number;
  json?: boolean;
};

/** One question with the other product's answer, best first. */
type Question = { query?: string; item_id?: string; user_id?: string; ids: string[] };

type Compared = {
  question: string;
  overlap: number;
  rbo: number;
  /** Items of the other product that are absent here, by reason, such as `unknown` or `outranked`. */
  missing: Record<string, string[]>;
};

/** Of one question: the service explains so many absent items. */
const mostExplained = 20;
const device = 'anonymous';

export function registerParity(migrate: Command): void {
  withConnection(migrate.command('parity'))
    .description("compare another product's answers with the service's, the least similar first")
    .requiredOption('--environment <name>', 'environment to ask')
    .requiredOption(
      '--queries <file>',
      'JSON lines: query, item_id or user_id, and the ordered ids of the other product',
    )
    .option('--configuration <id>', 'configuration of the lists for items and users')
    .option('--k <count>', 'first results to compare, 1 to 100', readCount(100), 10)
    .option('--limit <count>', 'questions to print', readCount(10_000), 20)
    .option('--json', 'print one JSON object with all questions')
    .action(interruptibleAction(compare));
}

const readCount = (most: number) => (text: string) => {
  if (/^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= most) return Number(text);
  throw new InvalidArgumentError(`It must be 1 to ${most}.`);
};

async function compare(connection: Connection, signal: AbortSignal, options: Options): Promise<void> {
  const { queries, k, limit, json } = options;
  const { readObjects } = await import('./migrate-objects.ts');
  const compared: Compared[] = [];
  for (const row of await readObjects(queries, signal)) {
    signal.throwIfAborted();
    compared.push(await compareOne(connection, toQuestion(row, queries), options));
  }
  compared.sort((a, b) => a.rbo - b.rbo || a.overlap - b.overlap);
  const mean = (pick: (one: Compared) => number) =>
    compared.reduce((sum, one) => sum + pick(one), 0) / Math.max(1, compared.length);
  const summary = {
    questions: compared.length,
    overlap: mean((one) => one.overlap),
    rbo: mean((one) => one.rbo),
  };
  if (json) return print(JSON.stringify({ k, ...summary, per_question: compared }, null, 2));
  const rows = compared
    .slice(0, limit)
    .map(({ question, overlap, rbo, missing }) => [
      overlap.toFixed(2),
      rbo.toFixed(2),
      question,
      describe(missing),
    ]);
  print(
    `${summary.questions} questions, mean overlap@${k} ${summary.overlap.toFixed(3)}, RBO ${summary.rbo.toFixed(3)}\n`,
  );
  process.stdout.write(formatTable([`overlap@${k}`, 'RBO', 'question', 'missing'], rows));
}

const describe = (missing: Compared['missing']): string =>
  Object.entries(missing)
    .map(
      ([reason, ids]) =>
        `${reason}: ${ids.slice(0, 3).join(', ')}${ids.length > 3 ? ` and ${ids.length - 3} more` : ''}`,
    )
    .join('; ');

function toQuestion(row: Readonly<Record<string, unknown>>, path: string): Question {
  const { query, item_id, user_id, ids } = row as Question;
  const isAsked = [query, item_id, user_id].filter((one) => typeof one === 'string').length === 1;
  if (isAsked && Array.isArray(ids)) return { query, item_id, user_id, ids: [...new Set(ids.map(String))] };
  throw new Error(
    `${path}: each line needs ids and one of query, item_id and user_id; got ${JSON.stringify(row)}.`,
  );
}

async function compareOne(connection: Connection, question: Question, options: Options): Promise<Compared> {
  const { k } = options;
  const theirs = question.ids.slice(0, k);
  const ask = question.query === undefined ? askList : askSearch;
  const { ids } = await ask(connection, question, options, []);
  const ours = ids.slice(0, k);
  const absent = theirs.filter((id) => !ours.includes(id)).slice(0, mostExplained);
  const reasons = absent.length > 0 ? (await ask(connection, question, options, absent)).reasons : [];
  const missing: Compared['missing'] = {};
  for (const { itemId, reason } of reasons) missing[reason] = [...(missing[reason] ?? []), itemId];
  const text = question.query ?? (question.item_id ? `item ${question.item_id}` : `user ${question.user_id}`);
  return {
    question: text,
    overlap: overlapAt(theirs, ours, k),
    rbo: rankBiasedOverlap(theirs, ours),
    missing,
  };
}

const toReferences = (ids: readonly string[]) => ids.map((itemId) => ({ itemId }));

async function askSearch(
  connection: Connection,
  { query }: Question,
  { environment, k }: Options,
  absent: string[],
) {
  const { results, explanation } = await connection.client(SearchService).createSearch({
    environment,
    whyNot: toReferences(absent),
    request: { q: query, deviceId: device, pageType: 'search', limit: k, numLists: 1, doNotStore: true },
  });
  const ids = (results?.lists ?? []).flatMap(({ items }) => items.map(({ itemId }) => itemId));
  return { ids, reasons: explanation?.whyNot ?? [] };
}

async function askList(
  connection: Connection,
  { item_id: contextItem, user_id: userId }: Question,
  { environment, k, configuration: configurationId }: Options,
  absent: string[],
) {
  if (configurationId === undefined) throw new Error('Questions about items and users need --configuration.');
  const pageType = contextItem === undefined ? 'home' : 'detail';
  const lists = [{ configurationId, listName: 'parity', listSize: k, limit: k }];
  const { recommendations, explanations } = await connection
    .client(RecommendationService)
    .createRecommendations({
      environment,
      whyNot: toReferences(absent),
      request: { deviceId: device, userId, contextItem, pageType, lists, doNotStore: true },
    });
  const ids = (recommendations?.lists ?? []).flatMap(({ items }) => items.map(({ itemId }) => itemId));
  return { ids, reasons: explanations[0]?.whyNot ?? [] };
}
