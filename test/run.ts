/**
 * `npm test`: checks contract, generated code, types and format in parallel, then runs all tests on
 * one database server. A failure skips the later steps.
 *
 * Arguments go to AVA (`npm test -- test/ranking/rules/compose.test.ts`). The last line is `N passed, M failed`, for machines.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { divideTests } from './together/divide-tests.ts';
import { tapOfAva } from './together/tap-of-ava.ts';

const root = resolve(import.meta.dirname, '..');
const environment = {
  ...process.env,
  /**
   * Hundreds of processes load the same sources, and a compile cache halves the time. Functions
   * from the cache are not counted by a coverage.
   */
  ...(process.env.NODE_V8_COVERAGE
    ? { NODE_DISABLE_COMPILE_CACHE: '1' }
    : { NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compile') }),
  /** Most checks are short Go programs, which spend a quarter of their time on garbage. */
  GOGC: '400',
  /** Without list threads, which take a quarter of a service's start. */
  LIST_THREADS: '0',
  PATH: `${join(root, 'node_modules/.bin')}${delimiter}${process.env.PATH}`,
};

/** The last released contract; `npm run release:contract` writes it. */
const releasedContract = 'proto/released.binpb';

/** The packaged program, for the tests of the command line. */
const packed = join(root, 'dist/src/command/main.js');

type Outcome = { passed: number; failed: number };
/** Prints the output of a check when it has ended, so that outputs do not mix. */
type Checked = { isPassed: boolean; said: string };
type Check = { title: string; run: () => Promise<Checked> };

const checks: Check[] = [
  { title: 'The contract is well-formed', run: () => command('buf', 'lint') },
  {
    title: 'The protos are formatted',
    run: () => command('buf', 'format', '--diff', '--exit-code', 'proto'),
  },
  {
    title: 'The contract breaks no caller',
    run: () => command('buf', 'breaking', 'proto', '--against', releasedContract),
  },
  { title: 'The generated code is up to date', run: () => withTemporaryFolder(checkGenerated) },
  { title: 'The types agree', run: () => checkTypes('.') },
  { title: 'The types of the clients agree', run: () => checkTypes('clients') },
  /** The console is for browsers, with other types. */
  { title: 'The types of the console agree', run: () => checkTypes('src/console') },
  { title: 'The console and the command are built', run: build },
  { title: 'Format and lint', run: () => command('biome', 'check') },
];

async function main(): Promise<void> {
  /** A coverage counts only the code that tests run. */
  const isSound = process.env.NODE_V8_COVERAGE ? true : await areAllPassed();
  const outcome = isSound ? await tellTests() : { passed: 0, failed: 1 };
  process.exitCode = outcome.failed > 0 ? 1 : 0;
  console.log(`${outcome.passed} passed, ${outcome.failed} failed`);
}

/** In parallel, because each mostly waits for files or for one core. */
async function areAllPassed(): Promise<boolean> {
  const passed = checks.map(async ({ title, run }) => {
    const tellEnd = beginStep();
    const { isPassed, said } = await run();
    tellEnd(title, isPassed, said);
    return isPassed;
  });
  return (await Promise.all(passed)).every(Boolean);
}

async function tellTests(): Promise<Outcome> {
  const tellEnd = beginStep();
  const outcome = await runTests();
  tellEnd('The tests', outcome.failed === 0);
  return outcome;
}

function beginStep() {
  const startMs = performance.now();
  return (title: string, isPassed: boolean, said = '') => {
    const seconds = ((performance.now() - startMs) / 1_000).toFixed(1);
    console.log(`${said}${isPassed ? '✔' : '✘'} ${title} (${seconds} s)`);
  };
}

async function command(name: string, ...commandArguments: string[]): Promise<Checked> {
  const child = spawn(name, commandArguments, { cwd: root, env: environment });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  const isPassed = await new Promise<boolean>((end) => {
    child.once('error', ({ message }) => {
      said += `${name} cannot be run: ${message}\n`;
      end(false);
    });
    child.once('close', (status) => end(status === 0));
  });
  return { isPassed, said };
}

/** One checker at a time, because all check the common sources; again only for what has changed. */
function checkTypes(project: string): Promise<Checked> {
  const info = join('node_modules/.cache/types', project, 'tsbuildinfo');
  const ofChanges = ['--incremental', '--tsBuildInfoFile', info];
  return command('tsc', '--noEmit', '--checkers', '1', ...ofChanges, '-p', project);
}

/** The package contains the console. */
async function build(): Promise<Checked> {
  const console = await command('node', 'src/console/build.ts');
  return console.isPassed ? command('node', 'tools/build-package.ts') : console;
}

async function withTemporaryFolder(check: (folder: string) => Promise<Checked>): Promise<Checked> {
  const folder = mkdtempSync(join(tmpdir(), 'test-run-'));
  try {
    return await check(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Generates into a separate folder and compares it with the checked-in code file by file. */
async function checkGenerated(folder: string): Promise<Checked> {
  const generated = await command('buf', 'generate', '--output', folder);
  if (!generated.isPassed) return generated;
  mkdirSync(join(folder, 'gen'), { recursive: true });
  const fresh = readTree(join(folder, 'gen'));
  const checkedIn = readTree(join(root, 'gen'));
  const names = [...new Set([...fresh.keys(), ...checkedIn.keys()])];
  const stale = names.filter((name) => fresh.get(name) !== checkedIn.get(name));
  const lines = stale.map((name) => `gen/${name} differs from what buf generates; run npm run generate.\n`);
  return { isPassed: stale.length === 0, said: lines.join('') };
}

function readTree(folder: string): Map<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const paths = entries.map((entry) => join(entry.parentPath, entry.name));
  return new Map(paths.map((path) => [path.slice(folder.length + 1), readFileSync(path, 'utf8')]));
}

/** Imported late, because the checks report broken code better than a failed import. */
async function runTests(): Promise<Outcome> {
  const { startTestServer } = await import('./support/database.ts');
  const server = await startTestServer();
  try {
    return await runAva(JSON.stringify(server.connection));
  } finally {
    await server.stop();
  }
}

/** Shows AVA's TAP as one line per test. Failed tests are explained, and again at the end, where a shortened log still has them. */
async function runAva(connection: string): Promise<Outcome> {
  const given = process.argv.slice(2);
  const ava = spawn(process.execPath, [...tapOfAva, ...(given.length > 0 ? given : divideTests(root))], {
    cwd: root,
    env: {
      ...environment,
      ...(!process.env.NODE_V8_COVERAGE && { TEST_PROGRAM: packed }),
      TEST_POSTGRES: connection,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const forward = () => void ava.kill();
  process.on('SIGINT', forward).on('SIGTERM', forward);
  const exit = new Promise<string>((done) =>
    ava.once('close', (status, signal) => done(signal ?? `exit code ${status}`)),
  );
  const outcome = { passed: 0, failed: 0 };
  const failures: string[] = [];
  let isFailure = false;
  for await (const line of createInterface(ava.stdout)) {
    if (/^\S/.test(line)) isFailure = line.startsWith('not ok');
    if (isFailure) failures.push(line);
    /** Not from AVA's summary, which a run that breaks off does not have. */
    if (line.startsWith('ok ')) outcome.passed += 1;
    if (line.startsWith('not ok ')) outcome.failed += 1;
    if (!/^(TAP version|1\.\.|# (tests|pass|fail) |\s*$)/.test(line))
      console.log(line.replace(/^ok \d+ - (build › tests › process-\d+ › |test › )?/, '  ✔ '));
  }
  const ending = await exit;
  for (const line of failures) console.log(line);
  if (ending !== 'exit code 0' && outcome.failed === 0) {
    console.log(`AVA ended with ${ending} after ${outcome.passed} passed tests.`);
    outcome.failed = 1;
  }
  process.off('SIGINT', forward).off('SIGTERM', forward);
  return outcome;
}

await main();
