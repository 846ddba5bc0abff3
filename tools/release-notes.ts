/**
 * `node tools/release-notes.ts [--outputs]`: prints the newest released section of CHANGELOG.md. With `--outputs` prints its
 * version for the release workflow, and whether the version has no tag yet.
 *
 * A section whose heading ends with `(unreleased)` is not released.
 */

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const [, ...sections] = readFileSync(join(root, 'CHANGELOG.md'), 'utf8').split(/^## /m);
const released = sections.map((section) => /^(\d+\.\d+\.\d+)(?! \(unreleased\)).*\n([\s\S]*)$/.exec(section));
const [, version, notes] = released.find((section) => section !== null) ?? [];
if (version === undefined) throw new Error('CHANGELOG.md has no released section.');

if (process.argv.includes('--outputs')) {
  const declared = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;
  const tags = execFileSync('git', ['tag', '--list', `v${version}`], { cwd: root, encoding: 'utf8' });
  console.log(`version=${version}\nis_new=${tags.trim() === '' && declared === version}`);
} else console.log(notes.trim());
