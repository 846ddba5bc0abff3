/** Lines of each module, blank lines and comments included. A budget is raised only with a reason in the commit. */

import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import test from 'ava';

const root = resolve(import.meta.dirname, '..');

const budgets: Record<string, number> = {
  'src/app': 820,
  'src/cli': 4_890,
  'src/console': 14_770,
  'src/deployment': 1_860,
  'src/events': 2_120,
  'src/formats': 2_350,
  'src/handlers': 10_040,
  'src/jobs': 6_300,
  'src/ranking': 29_790,
  'src/repository': 14_500,
  'src/security': 1_880,
  'src/servers': 4_450,
  'src/*': 500,
  tools: 1_260,
  test: 75_300,
};

const lineCountOf = (path: string) => readFileSync(join(root, path), 'utf8').split('\n').length - 1;

for (const [place, budget] of Object.entries(budgets)) {
  test(`${place} has at most ${budget} lines`, (t) => {
    const pattern = place.endsWith('/*') ? `${place}.ts` : `${place}/**/*.{ts,tsx,css,sql}`;
    const files = globSync(pattern, { cwd: root, exclude: ['**/node_modules/**'] });
    const count = files.reduce((sum, path) => sum + lineCountOf(path), 0);
    t.true(count > 0 && count <= budget, `${count} lines`);
  });
}
