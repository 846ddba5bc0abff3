/** The demo's visitors get lists of their taste before the first training, after it, and a day later. */

import test from 'ava';
import { createDemoDeployment, demoEnvironment } from '../../src/deployment/demo/deployment.ts';
import { type DemoItem, demoItems } from '../../src/deployment/demo/items.ts';
import { type Taste, tasteFactor, tastes } from '../../src/deployment/demo/tastes.ts';
import { demoEvents, namedVisitors } from '../../src/deployment/demo/visitors.ts';
import { demoSeed } from '../../src/handlers/administration/load-demo.ts';
import type { LoggedEvent, LoggedItem } from '../quality/live/log.ts';
import { type LiveService, startLiveService } from '../quality/live/service.ts';

const start = new Date('2026-11-02T10:00:00Z');
const startSeconds = start.getTime() / 1_000;
const daySeconds = 86_400;

const items = demoItems({ now: start });
const itemOf = new Map(items.map((item) => [item.item_id, item]));

const loggedItem = (item: DemoItem): LoggedItem => ({
  ...{ itemType: item.item_type, itemId: item.item_id, categories: item.categories, publishedAt: 0 },
  document: item,
});

const loggedEvent = (document: Record<string, unknown>): LoggedEvent => ({
  ...{ at: 0, subject: '', itemId: '', eventType: '', pageType: '' },
  document,
});

async function listFor(service: LiveService, ids: Record<string, unknown>): Promise<DemoItem[]> {
  const itemIds = await service.list(ids, { page: 'home', basket: [], size: 10 });
  return itemIds.map((itemId) => itemOf.get(itemId)!);
}

const countOf = (list: readonly DemoItem[], taste: Taste) =>
  list.filter((item) => tasteFactor(taste, item) > 1).length;

const mainCountOf = (list: readonly DemoItem[], { main }: Taste) =>
  list.filter(({ categories: [category] }) => category.startsWith(`${main}/`)).length;

test('named visitors get their taste, and one view of another subject does not replace nine', async (t) => {
  const service = await startLiveService(createDemoDeployment(), demoEnvironment);
  t.teardown(service.stop);
  await service.moveTo(startSeconds);
  /** In the order of the demo's import: factors begin with values by the order of the items. */
  for (const item of items) await service.putItems([loggedItem(item)]);
  const log = demoEvents({ now: start, items, seed: demoSeed }).map((event) => loggedEvent({ ...event }));
  await service.postEvents([...log, ...pairs.flatMap(eventsOfPair)]);
  const stages = [
    ['before the training', startSeconds, false],
    ['after it', startSeconds, true],
    ['a day later', startSeconds + daySeconds, false],
  ] as const;
  for (const [stage, at, trains] of stages) {
    await service.moveTo(at);
    if (trains) await service.train();
    for (const { name, taste } of namedVisitors) {
      const list = await listFor(service, { device_id: `${name}-phone`, user_id: name });
      const wanted = tastes.find((one) => one.name === taste)!;
      const shown = `${name} ${stage}: ${list.map(({ categories: [category] }) => category)}`;
      t.true(countOf(list, wanted) >= 7 && mainCountOf(list, wanted) >= 4, shown);
    }
    let [ofMany, ofLast] = [0, 0];
    for (const pair of pairs) {
      const list = await listFor(service, { device_id: deviceOf(pair) });
      ofMany += mainCountOf(list, pair[0]) / pairs.length;
      ofLast += mainCountOf(list, pair[1]) / pairs.length;
    }
    t.log(`${stage}: ${ofMany.toFixed(1)} of the nine, ${ofLast.toFixed(1)} of the last`);
    t.true(ofMany >= 6 && ofLast > 0, `${stage}: ${ofMany} and ${ofLast}`);
  }
});

type Pair = [many: Taste, last: Taste];

const pairs: Pair[] = tastes.flatMap((many) =>
  tastes.filter((last) => last !== many).map((last): Pair => [many, last]),
);

const deviceOf = ([many, last]: Pair) => `${many.name}-then-${last.name}`;

/** Nine views of a subject, then one of another, a minute apart. */
function eventsOfPair(pair: Pair): LoggedEvent[] {
  const of = ({ main }: Taste, count: number) =>
    items.filter(({ categories: [category] }) => category.startsWith(`${main}/`)).slice(0, count);
  return [...of(pair[0], 9), ...of(pair[1], 1)].map((item, place) =>
    loggedEvent({
      ...{ event_type: 'detail_pageview', timestamp: startSeconds - (11 - place) * 60 },
      ...{ device_id: deviceOf(pair), page_type: 'detail' },
      ...{ action_item: item.item_id, action_item_type: item.item_type },
    }),
  );
}
