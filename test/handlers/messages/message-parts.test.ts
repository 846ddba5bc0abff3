import test from 'ava';
import { inParts } from '../../../src/handlers/messages/message-parts.ts';

const partsOf = (lengths: number[]) => [...inParts(lengths, (length) => length)];

test('records are sent in order, as many as fit into a message', (t) => {
  t.deepEqual(partsOf([]), []);
  t.deepEqual(partsOf([400_000, 600_000, 1, 999_999, 1]), [[400_000, 600_000], [1, 999_999], [1]]);
});

test('a record too large for a part has its own', (t) => {
  t.deepEqual(partsOf([1, 5_000_000, 2, 3]), [[1], [5_000_000], [2, 3]]);
  t.deepEqual(partsOf([5_000_000]), [[5_000_000]]);
});
