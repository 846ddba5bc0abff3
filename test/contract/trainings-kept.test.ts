/** A training that is worse than the served one is not served, and the list of trainings says so. */

import test from 'ava';
import { sql } from 'kysely';
import type { EventRow } from '../../src/repository/event-row.ts';
import type { TestDatabase } from '../support/database.ts';
import { commitEvents } from '../support/events.ts';
import { startTestService } from '../support/service.ts';
import { createModels } from './support/models.ts';

const environment = 'shop';
const itemType = 'article';
const itemCount = 400;
const idOf = (item: number) => `a${item % itemCount}`;

const deployment = `
environments:
  - name: ${environment}
    item_types: [ { name: ${itemType} } ]`;

/** Readers who go from one article to the next, at different hours. */
function readings(count: number, fromMs: number, name: string): EventRow[] {
  return Array.from({ length: count }, (_, reader) => {
    const read = (item: number, atMs: number): EventRow => ({
      ...{ environment, eventType: 'detail_pageview', userId: `${name}${reader}`, itemType },
      ...{ itemId: idOf(item), occurredAtMs: atMs, robot: false, details: {} },
    });
    const startMs = fromMs + reader * 1_000;
    return [read(reader * 7, startMs), read(reader * 7 + 1, startMs + 500)];
  }).flat();
}

/** In one transaction, so that no training reads a part of a log. */
async function replaceLog(db: TestDatabase, events: EventRow[]): Promise<void> {
  const aside = events.map((event) => ({ ...event, environment: 'aside' }));
  for (let start = 0; start < aside.length; start += 1_000)
    await commitEvents(db, aside.slice(start, start + 1_000), { lane: 9 });
  await sql`
    with old as (delete from events where environment = ${environment})
    update events set environment = ${environment} where environment = 'aside'`.execute(db.kysely);
}

type Call = ReturnType<typeof createModels>['call'];

/** Recommendations beside an article for a new subject. */
async function besides(call: Call, item: number): Promise<string[]> {
  const { lists } = await call<{ lists: { items: { item_id: string }[] }[] }>(
    'POST',
    `${environment}/recommendations/requests`,
    {
      device_id: 'anonymous',
      page_type: 'detail',
      context_item: idOf(item),
      lists: [{ configuration_id: 'any', list_name: 'next', list_size: 5 }],
    },
  );
  return lists[0].items.map(({ item_id: id }) => id);
}

test('worse models are not served, and the training is recorded as kept', async (t) => {
  const service = await startTestService(t, deployment, { trains: true });
  const { call, putItems, train, servedVersion } = createModels(service, environment);
  const items = Array.from({ length: itemCount }, (_, item) => ({
    itemType,
    itemId: idOf(item),
    document: { title: `Article ${item}` },
  }));
  await putItems(items);
  await call('PUT', 'configurations/any', { configuration_id: 'any', constraints: [] });
  const dayMs = 86_400_000;
  /** Each article leads to the next ten times. */
  await replaceLog(service.database, readings(10 * itemCount, Date.now() - 3 * dayMs, 'early'));
  const published = await train();
  t.is(published.state, 'published');
  const { models, quality: blended, question_count: asked } = published.learnt_blend!;
  t.true(asked >= 30 && blended > 0);
  t.deepEqual(
    models,
    models.toSorted((a, b) => b.weight - a.weight),
  );
  const next = models.find(({ model }) => model === 'transitions')!;
  t.true(next.quality_alone > 0.1, JSON.stringify(models));
  const before = await servedVersion();
  t.true((await besides(call, 14)).includes(idOf(15)));

  /** The log is deleted; later events name each article at most once. */
  await replaceLog(service.database, readings(0.95 * itemCount, Date.now() - dayMs, 'late'));
  const kept = await train();
  t.is(kept.state, 'kept', kept.decision);
  t.regex(kept.decision, /Worse; the models in use are kept/);
  const { question_count: count, quality, served_quality: servedQuality } = kept.comparison!;
  t.true(count >= 30);
  t.true(quality < servedQuality);
  t.is(await servedVersion(), before);
  t.true((await besides(call, 14)).includes(idOf(15)));
});
