/**
 * A fixture of all tests of a file, created before the first and removed after the last. Files that
 * share a process are loaded long before they run, so a fixture made at load time would idle.
 */

import test from 'ava';

type Undoing = { teardown(undo: () => unknown): void };

/**
 * @param what Name in the titles of the hooks, e.g. `the browser`.
 * @returns A proxy of the fixture for tests and later hooks. Reading it while the file is loaded
 * throws.
 */
export function forAllTests<Thing extends object>(
  what: string,
  make: (t: Undoing) => Thing | Promise<Thing>,
): Thing {
  const undoings: (() => unknown)[] = [];
  let made: Thing | undefined;
  /** Serial, so that AVA runs later hooks after it. */
  test.serial.before(`${what} is made`, async () => {
    made = await make({ teardown: (undo) => void undoings.push(undo) });
  });
  test.after.always(`${what} is undone`, async () => {
    for (const undo of undoings.toReversed()) await undo();
  });
  const there = (): Thing => {
    if (made === undefined) throw new Error(`Before the first test of the file, ${what} is not there yet.`);
    return made;
  };
  return new Proxy({} as Thing, {
    get(_, name) {
      const value: unknown = Reflect.get(there(), name);
      return typeof value === 'function' ? value.bind(there()) : value;
    },
    ownKeys: () => Reflect.ownKeys(there()),
    getOwnPropertyDescriptor: (_, name) => Reflect.getOwnPropertyDescriptor(there(), name),
  });
}
