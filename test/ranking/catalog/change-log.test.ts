import test from 'ava';
import { createChangeLog } from '../../../src/ranking/catalog/change-log.ts';

test('a reader visits the changes after its position, oldest first', (t) => {
  const log = createChangeLog(4);
  for (const itemIndex of [7, 8]) log.append(itemIndex);
  const bookmark = log.position;
  for (const itemIndex of [9, 7, 5, 6]) log.append(itemIndex);
  const visited: number[] = [];
  t.true(log.visitSince(bookmark, (itemIndex) => visited.push(itemIndex)));
  t.deepEqual(visited, [9, 7, 5, 6]);
});

test('a reader that lags too far behind gets false and visits no change', (t) => {
  const log = createChangeLog(2);
  for (const itemIndex of [1, 2, 3]) log.append(itemIndex);
  t.false(log.visitSince(0, () => t.fail()));
});
