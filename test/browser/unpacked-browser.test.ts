import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import { unpackOnce } from '../support/unpacked-browser.ts';

test('concurrent unpacking yields a complete browser', async (t) => {
  const within = mkdtempSync(join(tmpdir(), 'browsers-'));
  t.teardown(() => rmSync(within, { recursive: true }));
  const folder = join(within, 'browser');
  const unpackAndRead = async (restMs: number) => {
    await unpackOnce(folder, async (fresh) => {
      await appendFile(join(fresh, 'program'), 'half and ');
      await delay(restMs);
      await appendFile(join(fresh, 'program'), 'half');
    });
    return readFileSync(join(folder, 'program'), 'utf8');
  };
  const found = await Promise.all([20, 0, 10].map(unpackAndRead));
  t.deepEqual(found, Array(3).fill('half and half'));
  t.deepEqual(readdirSync(within), ['browser']);
});
