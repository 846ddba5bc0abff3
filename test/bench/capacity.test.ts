import { readFileSync } from 'node:fs';
import test from 'ava';
import { computeEvents, computeItems, toEventTable, toItemTable, toTrainingTable } from './capacity.ts';

const scaling = readFileSync(new URL('../../docs/scaling.md', import.meta.url), 'utf8');

for (const [name, table] of Object.entries({
  'events a day': toEventTable(),
  items: toItemTable(),
  trainings: toTrainingTable(),
})) {
  test(`docs/scaling.md has the capacity by ${name} that measured costs come to`, (t) => {
    t.true(scaling.includes(table), table);
  });
}

test('ten times the events take ten times the disk, and no more of Postgres for each', (t) => {
  const [few, many] = [computeEvents(1e7), computeEvents(1e8)];
  t.is(many.terabytes / few.terabytes, 10);
  t.true(many.postgresCores <= 10 * few.postgresCores);
  t.true(few.nodes >= 2, 'one may go');
});

test('a node takes memory without items, too', (t) => {
  t.true(computeItems(2e6).nodeMegabytes < 2 * computeItems(1e6).nodeMegabytes);
});
