import test from 'ava';
import {
  encodeLine,
  maxHistoryEntries,
  readLine,
  readLines,
} from '../../../src/repository/events/history-lines.ts';
import { fc } from '../../support/properties.ts';

const part = fc.string({ unit: fc.constantFrom('a', 'é', '\\', 't', 'n', '\t', '\n', '\ud83d\udc1f') });
const parts = fc.record({
  occurredAtSeconds: fc.integer({ min: 0, max: 4_000_000_000 }),
  eventType: part,
  itemType: part,
  itemId: part,
});
const qualifiers = [undefined, '37', 'negative'];
type Written = { occurredAtSeconds: number; eventType: string; itemType: string; itemId: string };
const encode = ({ occurredAtSeconds, ...names }: Written, qualifier?: string) =>
  encodeLine({ occurredAtMs: occurredAtSeconds * 1_000, ...names }, qualifier)!;

test('lines are read as they were written, with any characters in names', (t) => {
  const property = fc.property(fc.array(parts, { maxLength: 20 }), (written) => {
    const lines = written.map((entry, i) => encode(entry, qualifiers[i % 3]));
    const entries = written.map((entry, i) => ({
      ...entry,
      qualifier: qualifiers[i % 3],
      place: undefined,
    }));
    t.deepEqual(readLines(lines.join('\n')), { kept: entries, beyond: [] });
    t.deepEqual(lines.map(readLine), entries);
  });
  t.notThrows(() => fc.assert(property));
});

test('empty lines are ignored, and the newest lines are read within the limit', (t) => {
  const line = (occurredAtSeconds: number) =>
    encode({ occurredAtSeconds, eventType: 'click', itemType: '', itemId: 'i' });
  t.deepEqual(readLines(null), { kept: [], beyond: [] });
  t.deepEqual(
    readLines(`\n${line(2)}\n\n${line(1)}\n`).kept.map((entry) => entry.occurredAtSeconds),
    [2, 1],
  );
  const lines = Array.from({ length: maxHistoryEntries + 2 }, (_, second) => line(second));
  const { kept, beyond } = readLines(lines.join('\n'));
  t.deepEqual(
    kept.map((entry) => entry.occurredAtSeconds),
    Array.from({ length: maxHistoryEntries }, (_, i) => maxHistoryEntries + 1 - i),
  );
  t.deepEqual(
    beyond.map((entry) => entry.occurredAtSeconds),
    [1, 0],
  );
});
