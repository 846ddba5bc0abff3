/**
 * Replaces AVA for a test file that shares a process: collects its tests and hooks, which run
 * later.
 *
 * Each file has its own instance of this module (see share-process.ts). It supports the part of AVA
 * that the tests use.
 */

import type { ExecutionContext, TestFn } from 'ava';

type Run = (t: ExecutionContext, ...given: unknown[]) => unknown;
export type ToldTest = { title: string; run: Run };

/** In the order of declaration. */
export type ToldFile = {
  before: Run[];
  beforeEach: Run[];
  serial: ToldTest[];
  concurrent: ToldTest[];
  afterEach: Run[];
  after: Run[];
};

export const told: ToldFile = {
  before: [],
  beforeEach: [],
  serial: [],
  concurrent: [],
  afterEach: [],
  after: [],
};

const tell =
  (tests: ToldTest[]) =>
  (title: string, run: Run, ...given: unknown[]) =>
    void tests.push({ title, run: (t) => run(t, ...given) });

/** Hooks may have a title; they run one after the other, like AVA's serial hooks. */
const hook = (hooks: Run[]) => (first: string | Run, second?: Run) =>
  void hooks.push(typeof first === 'string' ? second! : first);

export default Object.assign(tell(told.concurrent), {
  serial: Object.assign(tell(told.serial), { before: hook(told.before) }),
  before: hook(told.before),
  beforeEach: hook(told.beforeEach),
  after: { always: hook(told.after) },
  afterEach: { always: hook(told.afterEach) },
}) as unknown as TestFn;
