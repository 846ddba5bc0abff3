/** The requests of a caller, and checks of the answers. */

import { setTimeout as delay } from 'node:timers/promises';
import type { Chance } from '../fuzz/chance.ts';
import type { Answer } from './call.ts';
import type { Ledger } from './ledger.ts';
import type { Ask } from './load.ts';

const itemCount = 20;
const pauseMs = 20;
/** Mostly small posts. */
const postSizes = [1, 1, 1, 1, 10, 10, 100];

/** One round of a caller in an environment. */
type Question = (environment: string) => Promise<unknown>;

export type Asking = {
  chance: Chance;
  ask: Ask;
  ledger: Ledger;
  faults: string[];
  /** Its number among the callers of the ledger. */
  caller: number;
};

/** Half of the rounds are posts. */
export function createQuestions(asking: Asking): Question[] {
  const post = createPosts(asking);
  const others = [
    ...createLists(asking),
    createCount(asking),
    createItemWrite(asking),
    createOwnItemWrite(asking),
  ];
  return [...others, ...others.map(() => post)];
}

/** Sends events with ids until they are acknowledged, and those without once. */
function createPosts({ chance, ask, ledger, caller }: Asking): Question {
  let sent = 0;
  return async (environment) => {
    const size = chance.pick(postSizes);
    const sum = ledger.sums.get(environment)!;
    const isNamed = chance.happens(0.5);
    const device = `${environment}-c${caller}-${sent}`;
    const events = Array.from({ length: size }, () => ({
      event_type: chance.pick(['detail_pageview', 'page_visit', 'purchase']),
      page_type: 'detail',
      device_id: isNamed ? `${environment}-d${chance.below(30)}` : device,
      user_id: chance.happens(0.5) ? `${environment}-u${chance.below(10)}` : undefined,
      action_item: `${environment}-a${chance.below(itemCount)}`,
      action_item_type: 'article',
      event_id: isNamed ? `e${caller}-${sent++}` : undefined,
    }));
    sum.sent += size;
    if (isNamed) {
      while ((await ask('POST', `/${environment}/events`, { events })).status !== 200) await delay(pauseMs);
      for (const { event_id } of events) ledger.acknowledged.add(event_id!);
    } else {
      sent += 1;
      const post = { size, isAcknowledged: false };
      ledger.posts.set(device, post);
      const { status } = await ask('POST', `/${environment}/events`, { events });
      if (status !== 200) return;
      post.isAcknowledged = true;
    }
    sum.acknowledged += size;
  };
}

/** Counts contain all events acknowledged before the request, and only events that were sent. */
function createCount({ ask, ledger, faults }: Asking): Question {
  return async (environment) => {
    const sum = ledger.sums.get(environment)!;
    const least = sum.acknowledged;
    const { status, body } = await ask('GET', `/metrics/events?limit=10000&environment=${environment}`);
    if (status !== 200) return;
    const counted = (body!.results as { value: number }[]).reduce((all, { value }) => all + value, 0);
    if (counted < least || counted > sum.sent)
      faults.push(`${counted} events of ${environment} are counted, of ${least} to ${sum.sent}.`);
  };
}

function createItemWrite({ chance, ask }: Asking): Question {
  return async (environment) => {
    const id = `${environment}-a${chance.below(itemCount)}`;
    await ask('PUT', `/${environment}/items/article/${id}`, { title: `Article ${id}` });
  };
}

/**
 * Checks that an item of this caller equals its last acknowledged write on every node. After a
 * write with an unknown outcome, the caller uses another item.
 */
function createOwnItemWrite({ ask, faults, caller }: Asking): Question {
  let generation = 0;
  let version = 0;
  return async (environment) => {
    const path = `/${environment}/items/article/${environment}-w${caller}-${generation}`;
    const title = `Article ${version++}`;
    if ((await ask('PUT', path, { title })).status !== 200) {
      generation += 1;
      return;
    }
    const { status, body } = await ask('GET', path);
    if (status === 200 && !JSON.stringify(body).includes(JSON.stringify(title)))
      faults.push(`${path} is not as it was acknowledged: ${JSON.stringify(body)}`);
  };
}

function createLists({ chance, ask, faults }: Asking): Question[] {
  const isOwn = (what: string, environment: string, ids: unknown[]) => {
    const foreign = ids.filter((id) => !String(id).startsWith(`${environment}-`));
    if (foreign.length > 0) faults.push(`${what} of ${environment} answered with ${foreign}`);
  };
  return [
    async (environment) => {
      const asked = { q: 'article', page_type: 'search', device_id: `${environment}-d${chance.below(30)}` };
      const { status, body } = await ask('POST', `/${environment}/searches/requests`, asked);
      if (status === 200) isOwn('A search', environment, idsOf(body));
    },
    async (environment) => {
      const device = `${environment}-d${chance.below(30)}`;
      const lists = [{ configuration_id: 'all', list_name: 'all', list_size: 8 }];
      const asked = { device_id: device, page_type: 'home', lists };
      const { status, body } = await ask('POST', `/${environment}/recommendations/requests`, asked);
      if (status !== 200) return;
      isOwn('Recommendations', environment, [...idsOf(body), body!.device_id]);
      const [{ list_key: key }] = body!.lists as { list_key: string }[];
      const page = await ask('GET', `/${environment}/recommendations/lists?list_key=${key}&offset=1&limit=8`);
      if (page.status !== 200) return;
      isOwn('A page', environment, idsOf(page.body));
      if (page.body!.device_id !== device) faults.push(`A page for ${device} says ${page.body!.device_id}.`);
    },
  ];
}

function idsOf(body: Answer['body']): string[] {
  const lists = body!.lists as { items: { item_id: string }[] }[];
  return lists.flatMap(({ items }) => items.map(({ item_id: id }) => id));
}
