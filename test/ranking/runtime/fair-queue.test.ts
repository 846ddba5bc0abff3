import test from 'ava';
import { createFairQueue } from '../../../src/ranking/runtime/fair-queue.ts';
import { fc } from '../../support/properties.ts';

type Job = { flow: string; cost: number; name?: string };

function drain(queue: { next(): Job | undefined }): Job[] {
  const jobs: Job[] = [];
  for (let job = queue.next(); job; job = queue.next()) jobs.push(job);
  return jobs;
}

test('one job of another caller overtakes a backlog of costly jobs', (t) => {
  const queue = createFairQueue<Job>();
  for (let i = 0; i < 100; i++) queue.add({ flow: 'attacker', cost: 5_000 });
  queue.next();
  queue.add({ flow: 'visitor', cost: 10 });
  t.is(queue.next()?.flow, 'visitor');
  t.is(queue.length, 99);
});

test('the cheapest job of a caller comes first; equal ones in order of arrival', (t) => {
  const queue = createFairQueue<Job>();
  for (const [name, cost] of Object.entries({ a: 5, b: 1, c: 5, d: 1 })) queue.add({ flow: 'x', cost, name });
  t.deepEqual(
    drain(queue).map(({ name }) => name),
    ['b', 'd', 'a', 'c'],
  );
});

test('callers with equal jobs take turns, however many jobs each has', (t) => {
  const queue = createFairQueue<Job>();
  for (let i = 0; i < 50; i++) queue.add({ flow: 'many', cost: 1 });
  for (let i = 0; i < 5; i++) queue.add({ flow: 'few', cost: 1 });
  const firstTen = Array.from({ length: 10 }, () => queue.next()!.flow);
  t.is(firstTen.filter((flow) => flow === 'few').length, 5);
});

test('a removed job neither comes out nor counts against its caller', (t) => {
  const queue = createFairQueue<Job>();
  const removed = { flow: 'a', cost: 100 };
  queue.add({ flow: 'a', cost: 200, name: 'a' });
  queue.add(removed);
  queue.add({ flow: 'b', cost: 250, name: 'b' });
  queue.remove(removed);
  queue.remove(removed);
  t.is(queue.length, 2);
  t.deepEqual(
    drain(queue).map(({ name }) => name),
    ['a', 'b'],
  );
});

const jobs = fc.array(
  fc.record({ flow: fc.constantFrom('a', 'b', 'c', 'd'), cost: fc.integer({ min: 1, max: 50 }) }),
  {
    maxLength: 200,
  },
);

test('each job comes out once, and the head is the next one', (t) => {
  fc.assert(
    fc.property(jobs, fc.array(fc.boolean(), { maxLength: 300 }), (added, takes) => {
      const queue = createFairQueue<Job>();
      const waiting = [...added];
      const taken: Job[] = [];
      for (const isTaken of takes) {
        const head = queue.head();
        if (isTaken && queue.length > 0) {
          t.is(queue.next(), head);
          taken.push(head!);
        } else if (waiting.length > 0) queue.add(waiting.shift()!);
      }
      for (const job of waiting) queue.add(job);
      const all = new Set([...taken, ...drain(queue)]);
      return all.size === added.length && added.every((job) => all.has(job)) && queue.length === 0;
    }),
  );
});

test('while all callers have jobs waiting, none gets ahead of another by more than their largest jobs', (t) => {
  const cost = fc.integer({ min: 1, max: 50 });
  const backlogs = fc.array(fc.array(cost, { minLength: 100, maxLength: 100 }), {
    minLength: 2,
    maxLength: 5,
  });
  const check = fc.check(
    fc.property(backlogs, (flows) => {
      const queue = createFairQueue<Job>();
      for (const [flow, costs] of flows.entries())
        for (const one of costs) queue.add({ flow: `${flow}`, cost: one });
      const done = flows.map(() => 0);
      const left = flows.map((costs) => costs.length);
      while (left.every((count) => count > 0)) {
        const job = queue.next()!;
        done[Number(job.flow)] += job.cost;
        left[Number(job.flow)] -= 1;
        if (Math.max(...done) - Math.min(...done) > 50) return false;
      }
      return true;
    }),
  );
  t.false(check.failed, JSON.stringify(check.counterexample));
});
