/** Lines of each module, blank lines and comments included. A budget is raised only with a reason in the commit. */

import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import test from 'ava';

const root = resolve(import.meta.dirname, '..');

const budgets: Record<string, number> = {
  'src/app': 1_180,
  'src/cli': 6_990,
  'src/console': 17_380,
  'src/deployment': 2_180,
  'src/events': 2_310,
  'src/formats': 3_990,
  'src/handlers': 13_910,
  'src/jobs': 8_760,
  'src/ranking': 32_000,
  'src/repository': 16_390,
  'src/security': 1_890,
  'src/servers': 5_460,
  'src/*': 490,
  tools: 1_240,
  test: 87_010,
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
