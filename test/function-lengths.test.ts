/** Functions have at most 70 lines, blank lines and comments included. */

import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import test from 'ava';
import { parseAst } from 'rolldown/parseAst';

const root = resolve(import.meta.dirname, '..');
const mostLines = 70;

/** Longer ones. This list may only shrink. */
const exceptions: readonly string[] = [
  'src/console/catalogue/import/plan.tsx',
  'src/jobs/audiences/subjects.ts',
  'src/jobs/training/trainer.ts',
];

type Node = { type?: string; start: number; end: number; body?: unknown };

const isFunction = ({ type = '', body }: Node) =>
  /Function/.test(type) && !type.startsWith('TS') && body != null;

/** Nodes with too many lines; shorter ones contain none. */
function* longNodesOf(value: unknown, code: string): Generator<Node> {
  if (typeof value !== 'object' || value === null) return;
  const { type, start, end } = value as Node;
  if (!isLong(code.slice(start, end))) return;
  if (type !== undefined) yield value as Node;
  for (const child of Object.values(value)) yield* longNodesOf(child, code);
}

const isLong = (code: string) => code.split('\n', mostLines + 1).length > mostLines;

function hasLongFunction(path: string): boolean {
  const code = readFileSync(join(root, path), 'utf8');
  const lang = path.endsWith('x') ? 'tsx' : 'ts';
  return isLong(code) && [...longNodesOf(parseAst(code, { lang }), code)].some(isFunction);
}

const paths = globSync('{src,clients,tools,test}/**/*.{ts,tsx}', {
  cwd: root,
  exclude: ['**/node_modules/**', '**/gen/**', '**/dist/**'],
});

test(`no function has more than ${mostLines} lines`, (t) => {
  t.true(paths.length > 1_000);
  t.deepEqual(paths.filter(hasLongFunction).sort(), [...exceptions].sort());
});
