/** Commands, options, scripts, programs and HTTP paths named in documents exist. */

import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import { Command } from 'commander';
import { routes } from '../../gen/rest/routes.ts';
import { program } from '../support/program.ts';
import { documents, examplesOf, phrasesOf, root } from './support/documents.ts';

const run = promisify(execFile);

type Named = { place: string; words: string[] };

const lines = documents.flatMap((document) => {
  const commands = examplesOf(document).filter(({ language }) => language === 'sh');
  const typed = commands.flatMap(({ text }) => text.replaceAll(/\\\n\s*/g, '').split(/\n|&&|\|/));
  return [...phrasesOf(document), ...typed].map((line) => ({
    place: `${document}: ${line}`,
    line: line.trim().replace(/^[^'"]*\$\(/, ''),
  }));
});

/** Returns the words after these ones, where a document begins a command with them. */
function named(...beginnings: string[]): Named[] {
  const found = lines.flatMap(({ place, line }) => {
    const beginning = beginnings.find((words) => line.startsWith(`${words} `));
    if (beginning === undefined) return [];
    const words = line
      .slice(beginning.length)
      .replace(/"\$\(.*?\)"| #.*$/, '')
      .replaceAll(/[[\]]/g, '');
    return [{ place, words: words.trim().split(/\s+/) }];
  });
  return found;
}

test('the commands exist, with their options', async (t) => {
  const completion = [program, 'completion', 'bash'];
  const { stdout } = await run(process.execPath, completion);
  const cases = stdout.matchAll(/^ {4}"(.*?)"\) words="(.*?)" ;;$/gm);
  const known = new Map(Array.from(cases, ([, place, words]) => [place, words.split(' ')]));
  const commands = named('personalisation', 'npm run personalisation --');
  t.true(commands.length > 60);
  for (const { place, words } of commands) {
    const [first] = words;
    if (first === 'COMMAND' || first.startsWith('--')) continue;
    t.true(known.get('')!.includes(first), place);
    const command = known.has(`${first} ${words[1]}`) ? `${first} ${words[1]}` : first;
    const options = words.filter((word) => word.startsWith('--')).map((word) => word.split('=')[0]);
    for (const option of options) t.true(known.get(command)!.includes(option), `${place}: ${option}`);
  }
});

/** Every command of the program, registered as the program does. */
async function register(): Promise<Command> {
  const program = new Command('personalisation');
  const table = readFileSync(join(root, 'src/main.ts'), 'utf8');
  const modules = table.matchAll(/import\('\.(\/cli\/\S+\.ts)'\)\)\.(register\w+)/g);
  for (const [, file, name] of modules) (await import(join(root, 'src', file)))[name](program);
  return program;
}

/** Returns the command that these words name. */
function resolve(command: Command, [word, ...others]: string[]): Command {
  const next = command.commands.find((known) => known.name() === word);
  return next ? resolve(next, others) : command;
}

test('a command with options has those that it needs, and a short one names known options', async (t) => {
  const program = await register();
  const names = new Set(program.commands.map((command) => command.name()));
  const phrases = documents.flatMap((document) =>
    phrasesOf(document).map((phrase) => ({ document, phrase })),
  );
  let count = 0;
  for (const { document, phrase } of phrases) {
    const isWhole = phrase.startsWith('personalisation ');
    const words = phrase.replace(/^personalisation /, '').split(' ');
    const options = words
      .filter((word) => word.startsWith('--'))
      .map((word) => word.replace(/[=\],].*$/, ''));
    if (!names.has(words[0]) || options.length === 0) continue;
    count += 1;
    const place = `${document}: ${phrase}`;
    const command = resolve(program, words);
    const known = command.options.map(({ long }) => long);
    for (const option of options) t.true(known.includes(option), `${place}: ${option}`);
    const needed = isWhole ? command.options.filter(({ mandatory }) => mandatory) : [];
    for (const { long } of needed) t.true(options.includes(long!), `${place}: ${long} is missing`);
  }
  t.true(count > 20);
});

test('the scripts and programs exist', (t) => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const run = named('npm run');
  t.true(run.length > 20);
  for (const { place, words } of run) t.true(Object.hasOwn(scripts, words[0]), place);
  const programs = named('node', 'npm run node --', 'npm run bench --').filter(({ words }) =>
    words.some((word) => word.endsWith('.ts')),
  );
  t.true(programs.length > 10);
  for (const { place, words } of programs)
    t.true(existsSync(join(root, words.find((word) => word.endsWith('.ts'))!)), place);
});

test('the paths are those of the HTTP interface', (t) => {
  const shapes = routes.map(({ httpMethod, path }) => `${httpMethod} ${path.replaceAll(/\{\w+\}/g, '{}')}`);
  const open = new Set(['GET /healthz', 'GET /readyz']);
  const requests = documents.flatMap((document) => [
    ...phrasesOf(document),
    ...examplesOf(document).flatMap(({ text }) => text.split('\n')),
  ]);
  const asked = requests.filter((line) =>
    /^(GET|PUT|POST|DELETE|PATCH) \/(?!personalisation\.v1\.)/.test(line),
  );
  t.true(asked.length > 8);
  for (const line of asked) {
    const [method, target] = line.split(' ');
    const path = target.replace(/\?.*$/, '').replace(/^\/api/, '');
    const isFit = (shape: string) =>
      new RegExp(`^${shape.replaceAll('{}', '[^/]+')}$`).test(`${method} ${path}`);
    const isComplete = target.startsWith('/api/') && shapes.some(isFit);
    t.true(isComplete || open.has(line), line);
  }
});
