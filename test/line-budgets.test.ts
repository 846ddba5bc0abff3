/** Lines of each module, blank lines and comments included. A budget is raised only with a reason in the commit. */

import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import test from 'ava';

const root = resolve(import.meta.dirname, '..');

const budgets: Record<string, number> = {
  'src/app': 1_310,
  'src/cli': 7_110,
  'src/console': 23_510,
  'src/deployment': 2_340,
  'src/events': 2_360,
  'src/formats': 4_230,
  'src/handlers': 15_920,
  'src/jobs': 9_230,
  'src/ranking': 33_210,
  'src/repository': 17_630,
  'src/security': 2_370,
  'src/servers': 5_550,
  'src/*': 510,
  tools: 1_240,
  test: 92_680,
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
