/**
 * What all tests of a file use: made before the first of them, undone after the last. Files that share
 * a process are loaded long before their turn; what they started by then would idle until it comes.
 */

import test from 'ava';

type Undoing = { teardown(undo: () => unknown): void };

/**
 * @param what Names it in the titles of the hooks, e.g. `the browser`.
 * @returns What stands for it in tests, and in hooks that are told later. Reading it while the file
 * is loaded throws.
 */
export function forAllTests<Thing extends object>(
  what: string,
  make: (t: Undoing) => Thing | Promise<Thing>,
): Thing {
  const undoings: (() => unknown)[] = [];
  let made: Thing | undefined;
  /** Serial, so that AVA runs hooks that are told later when it is over. */
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
