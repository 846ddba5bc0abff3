/** `serve --check FILE`: what a deployment file would break in the stored data. */

import { parseStored } from '../../handlers/grammar/parse-stored.ts';
import { findFitProblems } from '../../jobs/diagnostics/deployment-fit.ts';
import { listApplied } from '../../repository/migrations.ts';
import { type LocalDatabaseOptions, withDatabase } from '../local-database.ts';
import { readDeployment } from '../serve.ts';

/** Longer than reading ten million items takes. */
const timeoutMs = 1_800_000;

/** Prints the problems, and returns whether there are none. */
export async function checkDeployment(path: string, options: LocalDatabaseOptions): Promise<boolean> {
  const deployment = await readDeployment(path);
  const problems = await withDatabase(options, 'present', async (db) =>
    (await listApplied(db)).length === 0
      ? []
      : findFitProblems({ db, deployment, parse: parseStored }, timeoutMs),
  );
  if (!problems) throw new Error('The stored items could not be read in time.');
  for (const { description } of problems) console.log(description);
  const [what, verb] = problems.length === 1 ? ['problem', 'needs'] : ['problems', 'need'];
  console.log(
    problems.length === 0
      ? `${path} fits the stored configurations and items.`
      : `\n${problems.length} ${what} ${verb} a decision before ${path} is deployed.`,
  );
  return problems.length === 0;
}
