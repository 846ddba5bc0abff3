import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import test from 'ava';
import { readPostmaster } from '../../../src/repository/embedded/postmaster.ts';

const comingAndGoing = `
  const { rmSync, writeFileSync } = require('node:fs');
  for (let round = 0; round < 1_500; round++) {
    writeFileSync(process.argv[1], '2\\n');
    rmSync(process.argv[1]);
  }
`;

test('a server may end at the moment of a lookup', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'postmaster-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const child = spawn(process.execPath, ['-e', comingAndGoing, join(folder, 'postmaster.pid')]);
  let isOver = false;
  child.once('exit', () => {
    isOver = true;
  });
  while (!isOver) {
    for (let look = 0; look < 200; look++) readPostmaster(folder);
    await nextTurn();
  }
  t.is(readPostmaster(folder), undefined);
});
