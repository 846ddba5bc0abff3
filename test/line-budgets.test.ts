/** Lines of each module, blank lines and comments included. A budget is raised only with a reason in the commit. */

import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import test from 'ava';

const root = resolve(import.meta.dirname, '..');

const budgets: Record<string, number> = {
  'src/app': 940,
  'src/cli': 5_320,
  'src/console': 15_500,
  'src/deployment': 2_000,
  'src/events': 2_260,
  'src/formats': 3_500,
  'src/handlers': 11_250,
  'src/jobs': 7_060,
  'src/ranking': 30_890,
  'src/repository': 14_810,
  'src/security': 1_830,
  'src/servers': 5_020,
  'src/*': 490,
  tools: 1_220,
  test: 81_540,
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
