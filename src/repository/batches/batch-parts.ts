/**
 * Subjects of batches and their lists, up to `subjectsPerPart` a row. Lists are written once, and
 * only while the subjects are unchanged, so that no list of a deleted subject is stored.
 */

import { findBucket } from '../buckets.ts';
import { type Database, execute, query } from '../database.ts';

/** Subjects per part: at the maximum of 1,000 items for each, a row is some 5 MB. */
export const subjectsPerPart = 200;

/** `u:USER` or `d:DEVICE`; null for a deleted subject. */
export type PartPeople = (string | null)[];

export type BatchName = { environment: string; batchId: string };

export type BatchPart = {
  part: number;
  /** JSON of PartPeople. */
  people: string;
  /** Computed lists as JSON, with null for deleted subjects; null until computed. */
  results: string | null;
};

const bucketOfBatch = (db: Database, { environment, batchId }: BatchName): Promise<number> =>
  findBucket(db, environment, batchId);

const insertStatement = `
insert into batch_parts (bucket, environment, batch_id, part, people)
select $1, $2, $3, $4 + ordinal - 1, people
from unnest($5::text[]) with ordinality as given(people, ordinal)`;

/** Inserts parts from `firstPart` on. All parts are full, except the last of the batch. */
export async function insertParts(
  db: Database,
  batch: BatchName,
  firstPart: number,
  parts: readonly string[][],
): Promise<void> {
  const bucket = await bucketOfBatch(db, batch);
  const texts = parts.map((people) => JSON.stringify(people));
  const values = [bucket, batch.environment, batch.batchId, firstPart, texts];
  await execute(db, 'insert-batch-parts', insertStatement, values);
}

const findStatement = `
select part, people, results from batch_parts
where bucket = $1 and environment = $2 and batch_id = $3 and part >= $4 order by part limit $5`;

/** Lists parts from `firstPart` on, in order. */
export async function listParts(
  db: Database,
  batch: BatchName,
  firstPart: number,
  limit: number,
): Promise<BatchPart[]> {
  const bucket = await bucketOfBatch(db, batch);
  const values = [bucket, batch.environment, batch.batchId, firstPart, limit];
  return query<BatchPart>(db, 'list-batch-parts', findStatement, values);
}

const answerStatement = `
update batch_parts set results = $6
where bucket = $1 and environment = $2 and batch_id = $3 and part = $4 and people = $5 and results is null`;

/** @returns false when the part already has lists, or a subject was deleted since it was read */
export async function answerPart(
  db: Database,
  batch: BatchName,
  { part, people }: Pick<BatchPart, 'part' | 'people'>,
  results: string,
): Promise<boolean> {
  const bucket = await bucketOfBatch(db, batch);
  const values = [bucket, batch.environment, batch.batchId, part, people, results];
  return (await execute(db, 'answer-batch-part', answerStatement, values)) > 0;
}

const deleteStatement = `
delete from batch_parts where bucket = $1 and environment = $2 and batch_id = $3 and part in (
  select part from batch_parts where bucket = $1 and environment = $2 and batch_id = $3 limit $4)`;

/** Deletes at most `limit` parts of a batch and returns how many. */
export async function deleteParts(db: Database, batch: BatchName, limit: number): Promise<number> {
  const bucket = await bucketOfBatch(db, batch);
  const values = [bucket, batch.environment, batch.batchId, limit];
  return execute(db, 'delete-batch-parts', deleteStatement, values);
}
