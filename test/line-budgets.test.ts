/** Lines of each module, blank lines and comments included. A budget is raised only with a reason in the commit. */

import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import test from 'ava';

const root = resolve(import.meta.dirname, '..');

const budgets: Record<string, number> = {
  'src/app': 1_200,
  'src/cli': 7_130,
  'src/console': 18_730,
  'src/deployment': 2_180,
  'src/events': 2_310,
  'src/formats': 3_990,
  'src/handlers': 14_700,
  'src/jobs': 9_040,
  'src/ranking': 32_440,
  'src/repository': 16_970,
  'src/security': 1_890,
  'src/servers': 5_470,
  'src/*': 490,
  tools: 1_240,
  test: 88_110,
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
