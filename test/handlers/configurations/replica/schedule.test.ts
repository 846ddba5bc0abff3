/** The version in force at a time, and versions that may be dropped. */

import test from 'ava';
import {
  inForce,
  type Scheduled,
  withVersion,
} from '../../../../src/handlers/configurations/replica/schedule.ts';
import { fc } from '../../../support/properties.ts';

/** Newest first; `nowMs` is the time of every write. */
const held = (versions: Scheduled[], nowMs = 0) =>
  versions.reduce<Scheduled[]>((known, version) => withVersion(known, version, nowMs), []);

const versionAt = (versions: Scheduled[], nowMs: number) => inForce(held(versions), nowMs)?.version;

const plain = { version: 1 };

const schedules: [what: string, versions: Scheduled[], inForceAt: Record<number, number | undefined>][] = [
  ['no version', [], { 5: undefined }],
  ['the newest of two', [plain, { version: 2 }], { 0: 2, 9: 2 }],
  ['a later one from its time on', [plain, { version: 2, activeFromMs: 5 }], { 4: 1, 5: 2, 99: 2 }],
  ['one that ends, up to its end', [plain, { version: 2, activeUntilMs: 5 }], { 4: 2, 5: 1 }],
  ['a limited one', [plain, { version: 2, activeFromMs: 3, activeUntilMs: 5 }], { 2: 1, 3: 2, 4: 2, 5: 1 }],
  ['none before the first', [{ version: 1, activeFromMs: 5 }], { 4: undefined, 5: 1 }],
  ['none after the only one', [{ version: 1, activeUntilMs: 5 }], { 4: 1, 5: undefined }],
  ['a newer plain one from then on', [{ version: 1, activeFromMs: 5 }, { version: 2 }], { 4: 2, 5: 2 }],
  [
    'the newest with a current period',
    [
      plain,
      { version: 2, activeFromMs: 2, activeUntilMs: 9 },
      { version: 3, activeFromMs: 4, activeUntilMs: 6 },
    ],
    { 1: 1, 3: 2, 5: 3, 7: 2, 9: 1 },
  ],
];

for (const [what, versions, inForceAt] of schedules) {
  test(`in force is ${what}`, (t) => {
    for (const [nowMs, version] of Object.entries(inForceAt))
      t.is(versionAt(versions, Number(nowMs)), version, `at ${nowMs}`);
  });
}

const moment = fc.option(fc.integer({ min: 0, max: 20 }), { nil: undefined });

const history = fc
  .array(fc.record({ activeFromMs: moment, activeUntilMs: moment }), { maxLength: 8 })
  .map((schedule) => schedule.map((one, i): Scheduled => ({ version: i + 1, ...one })));

test('dropped versions would never be served again', (t) => {
  const property = fc.property(history, fc.nat(20), fc.nat(20), (versions, writtenMs, laterMs) => {
    const all = versions.toReversed();
    const nowMs = writtenMs + laterMs;
    t.is(inForce(held(versions, writtenMs), nowMs)?.version, inForce(all, nowMs)?.version);
  });
  fc.assert(property);
});

test('versions may arrive in any order and repeatedly', (t) => {
  const property = fc.property(history, fc.infiniteStream(fc.nat()), (versions, order) => {
    const shuffled = versions
      .map((version) => ({ version, key: order.next().value as number }))
      .sort((a, b) => a.key - b.key)
      .map(({ version }) => version);
    t.deepEqual(held([...shuffled, ...shuffled]), held(versions));
  });
  fc.assert(property);
});

test('a nightly version is held for a night', (t) => {
  let versions: Scheduled[] = [];
  for (let night = 1; night <= 1_000; night++)
    versions = withVersion(versions, { version: night, activeFromMs: night }, night);
  t.deepEqual(versions, [{ version: 1_000, activeFromMs: 1_000 }]);
});
