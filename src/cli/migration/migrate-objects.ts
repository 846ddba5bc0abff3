/** Reads synonyms, rules and settings of a rival, and stores those that changed. */

import { SynonymService } from '../../../gen/es/personalisation/v1/synonym_service_pb.js';
import type { Row } from '../../formats/records/mapping/row.ts';
import { collect, toUtf8 } from '../../formats/records/reading/encoding.ts';
import type { ConfigurationDocument } from '../configurations/documents.ts';
import { planSteps } from '../configurations/plan.ts';
import { carryOut, lint, readStored } from '../configurations/service.ts';
import type { Connection } from '../connection/connect.ts';
import { describeFailure } from '../connection/failure.ts';
import type { Http } from '../connection/http.ts';
import { readAll } from '../connection/pages.ts';
import { openInput } from '../importing/input.ts';
import { parseJson } from '../json.ts';
import type { Fields } from './filters.ts';
import type { Losses } from './losses.ts';
import type { MappedSynonym, Rival } from './rivals.ts';
import { toConfiguration } from './search-rules.ts';

/** `unchanged` objects are stored already. */
export type Outcome = { stored: number; unchanged: number; refused: number };

export type Target = {
  connection: Connection;
  http: Http;
  environment: string;
  /** Names the source in IDs. */
  rival: string;
  dryRun: boolean | undefined;
  losses: Losses;
};

const mostBytes = 64 * 1_048_576;

/** Reads an array, an answer of the rival's API that holds one, or one object per line. */
export async function readObjects(path: string, signal: AbortSignal): Promise<Row[]> {
  const { chunks } = await openInput(path, signal);
  const bytes = toUtf8(chunks, { encoding: undefined, isGuessed: false, note() {} });
  const text = await (await collect(bytes, mostBytes, 'split it')).text();
  const document = parseJson(text) as unknown;
  const found =
    document === undefined
      ? text
          .split('\n')
          .filter((line) => line.trim())
          .map(parseJson)
      : [document];
  const rows = found.flatMap(unfold);
  if (rows.some((row) => typeof row !== 'object' || row === null))
    throw new Error(`${path} is not JSON of objects.`);
  return rows as Row[];
}

const listNames = ['hits', 'rules', 'synonyms', 'overrides', 'items', 'synonym_sets', 'curation_sets'];

/** Returns the objects of a list; those of a named set have its name in their IDs. */
function unfold(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(unfold);
  const lists = Object.entries(value ?? {}).filter(
    ([name, list]) =>
      listNames.includes(name) && Array.isArray(list) && list.every((one) => typeof one === 'object'),
  );
  if (lists.length === 0) return [value];
  const { name } = value as { name?: string };
  const objects = lists.flatMap(([, list]) => (list as unknown[]).flatMap(unfold)) as Row[];
  return name === undefined ? objects : objects.map((object) => ({ ...object, id: `${name}-${object.id}` }));
}

const longestWord = 100;
const mostWords = 20;

export async function migrateSynonyms(
  rows: readonly Row[],
  read: NonNullable<Rival['readSynonym']>,
  target: Target,
) {
  const { connection, environment, rival, dryRun, losses } = target;
  const service = connection.client(SynonymService);
  const stored = new Map<string, string>();
  const list = (pageToken: string) => service.listSynonyms({ environment, pageToken });
  for await (const one of readAll('synonyms', list)) stored.set(one.synonymId!, sidesOf(one));
  const outcome: Outcome = { stored: 0, unchanged: 0, refused: 0 };
  for (const row of rows) {
    const { id, reason, ...sides } = read(row);
    const fault = reason ?? faultOf(sides);
    const synonymId = `${rival}-${id}`;
    if (fault !== undefined) losses.add('synonyms', fault, id);
    else if (stored.get(synonymId) === sidesOf(sides)) outcome.unchanged += 1;
    else
      await attempt('synonyms', id, target, outcome, async () => {
        if (!dryRun) await service.putSynonym({ environment, synonymId, synonym: { synonymId, ...sides } });
      });
  }
  return outcome;
}

type Sides = Pick<MappedSynonym, 'words' | 'from' | 'to'>;

const sidesOf = ({ words = [], from = [], to = [] }: Sides): string => JSON.stringify([words, from, to]);

function faultOf({ words, from, to }: Sides): string | undefined {
  const lists = words ? [words] : [from ?? [], to ?? []];
  const all = lists.flat();
  if (lists.some(({ length }) => length === 0) || words?.length === 1)
    return 'The synonym has no second word';
  if (all.some((word) => typeof word !== 'string' || word === '')) return 'A word is empty';
  if (lists.some(({ length }) => length > mostWords)) return `More than ${mostWords} words`;
  return all.some((word) => word.length > longestWord)
    ? `A word has more than ${longestWord} characters`
    : undefined;
}

export async function migrateRules(
  rows: readonly Row[],
  read: NonNullable<Rival['readRule']>,
  target: Target & { fields: Fields },
) {
  const { connection, http, environment, rival, dryRun, losses, fields } = target;
  const wanted = new Map<string, ConfigurationDocument>();
  const prefix = `${environment}-${rival}-`;
  for (const row of rows) {
    const rule = read(row, fields);
    const document = toConfiguration(rule, { prefix, environment, nowMs: Date.now() });
    for (const reason of new Set(rule.unmapped)) losses.add('rules', reason, rule.id);
    if (document) wanted.set(document.configuration_id as string, document);
  }
  const steps = planSteps(wanted, await readStored(http), false);
  const outcome: Outcome = { stored: 0, unchanged: wanted.size - steps.length, refused: 0 };
  for (const step of steps) {
    if (step.kind === 'delete') continue;
    await attempt('rules', step.id, target, outcome, async () => {
      const warnings = await lint(connection, step.id, step.document);
      for (const warning of warnings) losses.add('rules', warning.slice(step.id.length + 1), step.id);
      if (!dryRun) await carryOut(http, step, `Migrated from ${rival}`);
    });
  }
  return outcome;
}

/** Reports what the service refuses, and goes on. @throws when the service cannot be reached */
async function attempt(
  part: string,
  id: string,
  { losses }: Target,
  outcome: Outcome,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
    outcome.stored += 1;
  } catch (error) {
    const { reason } = error as { reason?: string };
    if (reason === undefined || reason === 'UNAVAILABLE' || reason === 'SCOPE_MISSING') throw error;
    outcome.refused += 1;
    losses.add(part, `Refused: ${describeFailure(error)}`, id);
  }
}
