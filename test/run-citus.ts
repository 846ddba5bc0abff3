/**
 * `npm run test:citus -- postgres://user@coordinator:5432/any_database`: runs the tests of the API,
 * of the event path and of reads over all buckets on an existing Citus cluster. Each test has its
 * own database on all nodes.
 *
 * Further arguments are test files instead of all.
 */
import { spawn } from 'node:child_process';
import { delimiter, join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');

const usual = [
  'test/contract/**/*.test.ts',
  'test/events/*.test.ts',
  'test/metrics/*.test.ts',
  'test/people/*.test.ts',
  'test/jobs/training/train-environment.test.ts',
  'test/repository/{feeds,one-bucket}.test.ts',
  'test/repository/audiences/*.test.ts',
  'test/repository/events/*.test.ts',
  'test/repository/items/*.test.ts',
  'test/repository/kept/*.test.ts',
  'test/repository/retention/*.test.ts',
  'test/repository/search/search-clicks.test.ts',
];

const [url, ...files] = process.argv.slice(2);
if (!url?.startsWith('postgres')) {
  console.error('Say which cluster: npm run test:citus -- postgres://user@coordinator:5432/postgres');
  process.exit(2);
}
const cache = join(root, 'node_modules/.cache/compile');
const path = `${join(root, 'node_modules/.bin')}${delimiter}${process.env.PATH}`;
const ava = spawn('ava', ['--timeout', '20m', ...(files.length > 0 ? files : usual)], {
  cwd: root,
  env: { ...process.env, PATH: path, NODE_COMPILE_CACHE: cache, TEST_CITUS: url },
  stdio: 'inherit',
});
ava.once('close', (code) => process.exit(code ?? 1));
