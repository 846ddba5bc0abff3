/** `serve --check FILE`: what a deployment file would break in the stored data. */

import { findProblemsOf } from '../../app/deployment-fit.ts';
import type { Deployment } from '../../deployment/deployment.ts';
import { listApplied } from '../../repository/migrations.ts';
import { type LocalDatabaseOptions, withDatabase } from '../local-database.ts';

/** Longer than reading ten million items takes. */
const timeoutMs = 1_800_000;

/** Prints the problems of a deployment file, and returns whether there are none. */
export async function checkDeployment(
  path: string,
  deployment: Deployment,
  options: LocalDatabaseOptions,
): Promise<boolean> {
  const { problems, isComplete } = await withDatabase(options, 'present', async (db) =>
    (await listApplied(db)).length === 0
      ? { problems: [], isComplete: true }
      : findProblemsOf({ db, deployment })(timeoutMs),
  );
  if (!isComplete) throw new Error('The stored items could not be read in time.');
  for (const { description } of problems) console.log(description);
  const { length } = problems;
  if (length === 0) console.log(`${path} fits the stored configurations and items.`);
  else console.log(`\nProblems of ${path} with the stored data: ${length}.`);
  return length === 0;
}
