/** Lines of each module, blank lines and comments included. A budget is raised only with a reason in the commit. */

import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import test from 'ava';

const root = resolve(import.meta.dirname, '..');

const budgets: Record<string, number> = {
  'src/app': 950,
  'src/cli': 5_200,
  'src/console': 15_130,
  'src/deployment': 1_990,
  'src/events': 2_250,
  'src/formats': 3_410,
  'src/handlers': 10_740,
  'src/jobs': 6_520,
  'src/ranking': 31_300,
  'src/repository': 14_460,
  'src/security': 1_830,
  'src/servers': 4_930,
  'src/*': 480,
  tools: 1_220,
  test: 80_570,
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
