/** Empty environment variables, which compose files pass for unset settings. */

import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import test from 'ava';
import { forgetEmptySettings, settingNames } from '../../src/cli/empty-settings.ts';

test('empty settings are removed, and other variables kept', (t) => {
  const env = { PORT: '', ADMIN_HOST: '', LOG_LEVEL: 'warn', TRAINING_WORKERS: '0', TZ: '' };
  forgetEmptySettings(env);
  t.deepEqual(env as object, { LOG_LEVEL: 'warn', TRAINING_WORKERS: '0', TZ: '' });
});

test('every setting of the command line is included', (t) => {
  const folder = resolve(import.meta.dirname, '../../src/cli');
  const texts = globSync('**/*.ts', { cwd: folder }).map((path) =>
    readFileSync(resolve(folder, path), 'utf8'),
  );
  const read = texts.flatMap((text) =>
    Array.from(text.matchAll(/\benv(?:\.|\(\s*')([A-Z][A-Z_]+)\b/g), ([, name]) => name),
  );
  const ours = new Set(read.filter((name) => name !== 'NODE_COMPILE_CACHE'));
  t.deepEqual([...ours].toSorted(), settingNames);
});
