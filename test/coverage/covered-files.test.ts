import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { createCoverage } from './covered-files.ts';

const source = `/** Of it. */
type Side = 'left' | 'right';

export function turn(side: Side): string {
  if (side === 'left') {
    return 'to the left';
  }
  return 'to the right';
}

export function rest(): void {
  console.log('resting');
}
`;

test('code that ran in any process is covered; types, comments and other files do not count', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'coverage-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'turn.ts'), source);
  writeFileSync(join(folder, 'never.ts'), 'export const never = 1;\n');
  const coverage = createCoverage(folder, ['never']);
  /** In V8's format. */
  const tell = (side: string) => {
    const told = mkdtempSync(join(folder, 'told-'));
    const program = `(await import('${join(folder, 'turn.ts')}')).turn('${side}')`;
    const env = { ...process.env, NODE_V8_COVERAGE: told, NODE_COMPILE_CACHE: undefined };
    t.is(spawnSync(process.execPath, ['--input-type=module', '-e', program], { env }).status, 0);
    for (const name of readdirSync(told)) coverage.add(JSON.parse(readFileSync(join(told, name), 'utf8')));
  };
  /** The line of a function's declaration counts, called or not. */
  const functions = { covered: 1, total: 2 };
  tell('right');
  t.deepEqual(coverage.files(), [{ path: 'turn.ts', lines: { covered: 5, total: 9 }, functions }]);
  tell('left');
  t.deepEqual(coverage.files(), [{ path: 'turn.ts', lines: { covered: 7, total: 9 }, functions }]);
});
