/**
 * `npm run check:benchmarks`: checks that every benchmark and quality command completes and prints figures.
 *
 * Each runs at its smallest size on generated data, two at a time; the figures have no meaning. The expected output is text in
 * which `#` is a number above 0, `~` a number that may be rounded to 0, and a space any number of spaces. Commands of documents
 * and package.json that are missing here fail, too.
 */

import { execFileSync, spawn } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { writeTinyData } from '../quality/tiny/tiny-data.ts';
import { killFamily } from '../support/kill-family.ts';
import { trials } from './trials.ts';

const root = resolve(import.meta.dirname, '../..');
const together = 2;
/** A command takes some seconds; one that hangs is killed. */
const longestMs = 300_000;

const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};

/** `benchmark:rules --lists 2` → `node test/bench/compose.ts --lists 2`. */
function programOf(command: string): string {
  const [name, ...others] = command.split(' ');
  const program = scripts[name]?.replace(/^(node test\/install\.js && )?(exec )?/, '') ?? name;
  return [program, ...others].join(' ');
}

/** Commands by their program; options come after it, or before it for Node. */
const namesOf = (text: string): string[] =>
  Array.from(text.matchAll(/\b(benchmark:[a-z]+|test\/(?:bench|quality)\/[\w/-]+\.ts)/g), ([, name]) => name);

function untried(): string[] {
  const tried = new Set(trials.flatMap(({ command }) => namesOf(`${command} ${programOf(command)}`)));
  const documents = globSync(['README.md', 'docs/*.md'], { cwd: root });
  const told = documents.flatMap((path) => namesOf(readFileSync(join(root, path), 'utf8')));
  const named = [...Object.keys(scripts).filter((name) => name.startsWith('benchmark:')), ...told];
  return [...new Set(named)].filter((name) => !tried.has(name) && !parts.has(name));
}

/** Files that documents name, but that are not commands. */
const parts = new Set(['test/quality/search/shops.ts', 'test/bench/costs.ts']);

/** Two commands at a time must not build what they start. */
execFileSync(process.execPath, ['tools/build-package.ts', '--if-older'], { cwd: root, stdio: 'inherit' });

type Ended = { output: string; code: number | null };

function run(words: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, words, {
    cwd: root,
    env: { ...process.env, NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compile') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const listen = (chunk: Buffer) => {
    output += chunk;
  };
  child.stdout.on('data', listen);
  child.stderr.on('data', listen);
  /** A hanging command may ignore signals, and has a service of its own. */
  const timer = setTimeout(() => killFamily(child.pid!), longestMs);
  return new Promise((done, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(timer);
      done({ output, code });
    });
  });
}

const mayBeZero = String.raw`\d[\d.,]*`;
const aboveZero = String.raw`(?=[\d.,]*[1-9])\d[\d.,]*`;

function patternOf(wanted: string): RegExp {
  const escaped = wanted.replace(/[^\w\s#~]/g, String.raw`\$&`);
  return new RegExp(
    escaped.replace(/\s+/g, String.raw`\s+`).replaceAll('#', aboveZero).replaceAll('~', mayBeZero),
  );
}

/** Returns a sentence for each fault. */
function faultsOf({ output, code }: Ended, holds: readonly string[]): string[] {
  const missing = holds.filter((wanted) => !patternOf(wanted).test(output));
  const strange = /\b(NaN|Infinity|undefined|null)\b/.exec(output);
  return [
    ...(code === 0 ? [] : [`it ended with ${code ?? 'a signal'}`]),
    ...missing.map((wanted) => `its output lacks "${wanted}"`),
    ...(strange ? [`its output holds ${strange[0]}`] : []),
  ];
}

async function tryOut({ command, holds }: (typeof trials)[number], data: string): Promise<boolean> {
  const startMs = performance.now();
  const [, ...words] = programOf(command).replace('FOLDER', data).split(' ');
  const ended = await run(words);
  const seconds = ((performance.now() - startMs) / 1_000).toFixed(1);
  const faults = faultsOf(ended, holds);
  console.log(`${faults.length > 0 ? '✘' : '✔'} ${command} (${seconds} s)`);
  if (faults.length > 0) console.log(`${ended.output}\n${faults.map((fault) => `  ${fault}\n`).join('')}`);
  return faults.length === 0;
}

async function main(): Promise<void> {
  const forgotten = untried();
  for (const name of forgotten)
    console.log(`✘ ${name} is documented but not tried: add it to test/bench/trials.ts`);
  const data = mkdtempSync(join(tmpdir(), 'tiny-data-'));
  let failed = forgotten.length;
  try {
    await writeTinyData(data);
    const waiting = [...trials];
    const work = async () => {
      for (let trial = waiting.shift(); trial; trial = waiting.shift())
        if (!(await tryOut(trial, data))) failed += 1;
    };
    await Promise.all(Array.from({ length: together }, work));
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
  console.log(`${trials.length} commands tried, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
}

await main();
