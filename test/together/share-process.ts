/**
 * Runs several test files in one AVA process, because loading the service takes most of the time of
 * a short file.
 *
 * Files run one after the other, each as if alone: its hooks, its serial tests in order, then its
 * other tests concurrently. Each file has its own instances of modules below `test/`, so that no
 * file sees another's state; modules of the service, and a few without state, are shared.
 */

import { flushCompileCache, registerHooks } from 'node:module';
import { join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import ava, { type ExecutionContext } from 'ava';
import type { ToldFile, ToldTest } from './told-tests.ts';

const testFolder = resolve(import.meta.dirname, '..');
const toldTests = new URL('./told-tests.ts', import.meta.url).href;

/** Modules below `test/` without state of a file that are widely used or expensive. */
const shared = [
  'support/answer-check.ts',
  'support/answer-schemas.ts',
  'support/citus.ts',
  'support/json-client.ts',
  'support/properties.ts',
  'support/roomy-folder.ts',
  'support/trained-once.ts',
  'contract/support/rpc.ts',
].map((path) => pathToFileURL(join(testFolder, path)).href);

/** @param paths Absolute. */
export async function shareProcess(paths: readonly string[]): Promise<void> {
  registerHooks({ resolve: resolveForFile });
  const files: { name: string; told: ToldFile }[] = [];
  for (const path of paths) {
    const owner = `?of=${relative(testFolder, path)}`;
    const { told } = (await import(toldTests + owner)) as { told: ToldFile };
    try {
      await import(pathToFileURL(path).href + owner);
      if (told.serial.length + told.concurrent.length === 0) throw new Error(`${path} declares no test.`);
      files.push({ name: nameOf(path), told });
    } catch (error) {
      /** The other files still run. */
      ava(`${nameOf(path)} is loaded`, () => {
        throw error;
      });
    }
  }
  /** Written early, because Node writes its compile cache only at the end of a process. */
  flushCompileCache();
  const ends: Promise<void>[] = [];
  /** AVA starts after this turn of the event loop, so all tests are declared in it. */
  for (const { name, told } of files) {
    const turn = ends.at(-1)?.catch(() => undefined) ?? Promise.resolve();
    ends.push(declare(name, told, turn));
  }
  ava.after.always('the files tidy up', async () => void (await Promise.all(ends)));
}

/** As AVA names tests by their file. */
function nameOf(path: string): string {
  return relative(testFolder, path)
    .replace(/\.test\.ts$/, '')
    .replaceAll('/', ' › ');
}

type Resolve = NonNullable<Parameters<typeof registerHooks>[0]['resolve']>;

/** Gives each file its own instances of modules below `test/`, and told-tests.ts as AVA. */
const resolveForFile: Resolve = (specifier, context, next) => {
  const owner = /\?of=.*$/.exec(context.parentURL ?? '')?.[0];
  if (owner === undefined) return next(specifier, context);
  if (specifier === 'ava') return next(toldTests + owner, context);
  const resolved = next(specifier, context);
  const isOwn =
    resolved.url.startsWith(pathToFileURL(testFolder).href) &&
    !resolved.url.includes('node_modules') &&
    !shared.includes(resolved.url);
  return isOwn ? { ...resolved, url: resolved.url + owner } : resolved;
};

/** Declares a file's tests to AVA, to run after the turn; resolves after their end. */
async function declare(name: string, told: ToldFile, turn: Promise<unknown>): Promise<void> {
  const { before, beforeEach, afterEach, after } = told;
  let prepared: Promise<void> | undefined;
  const prepare = (t: ExecutionContext) => (prepared ??= inOrder(before, t));
  const ends: Promise<unknown>[] = [];
  const add = ({ title, run }: ToldTest, turnOfTest: Promise<unknown>) => {
    const { promise: end, resolve: tellEnd } = Promise.withResolvers<void>();
    ends.push(end);
    ava(`${name} › ${title}`, async (t) => {
      /** Teardowns run in reverse order, even after a failure. */
      t.teardown(tellEnd);
      await turnOfTest;
      await prepare(t);
      for (const hook of afterEach) t.teardown(() => hook(t) as Promise<void>);
      await inOrder(beforeEach, t);
      await run(t);
    });
    return end;
  };
  const serialEnd = told.serial.reduce((previous, test) => add(test, previous), turn);
  for (const test of told.concurrent) add(test, serialEnd);
  await Promise.all(ends);
  await inOrder(after, undefined as never);
}

async function inOrder(hooks: ToldFile['before'], t: ExecutionContext): Promise<void> {
  for (const hook of hooks) await hook(t);
}
