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

function* nodesOf(value: unknown): Generator<Node> {
  if (typeof value !== 'object' || value === null) return;
  if ('type' in value) yield value as Node;
  for (const child of Object.values(value)) yield* nodesOf(child);
}

function longFunctionsOf(path: string): number[] {
  const code = readFileSync(join(root, path), 'utf8');
  const lang = path.endsWith('x') ? 'tsx' : 'ts';
  return [...nodesOf(parseAst(code, { lang }))]
    .filter(isFunction)
    .map(({ start, end }) => code.slice(start, end).split('\n').length)
    .filter((lines) => lines > mostLines);
}

const paths = globSync('{src,clients,tools,test}/**/*.{ts,tsx}', {
  cwd: root,
  exclude: ['**/node_modules/**', '**/gen/**', '**/dist/**'],
});

test(`no function has more than ${mostLines} lines`, (t) => {
  t.true(paths.length > 1_000);
  t.deepEqual(paths.filter((path) => longFunctionsOf(path).length > 0).sort(), [...exceptions].sort());
});
