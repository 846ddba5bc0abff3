/** Visitors of a site during an attack, each with personal lists. */

import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

export type VisitorLane = {
  /** Milliseconds of each answer. */
  times: number[];
  /** Some of the faults of answers. */
  faults: string[];
  stop(): Promise<void>;
};

type Item = { item_id: string };
type Answer = { user_group: string; lists: { items: Item[] }[] };

/** The configuration of the visitors' lists, which the attackers use too. */
export const visitorConfiguration = 'visitors';

const pauseMs = 25;
const mostFaults = 20;
const agent = new Agent({ keepAlive: true });

/** @param interestOf The interest of a visitor, and of the items that suit it. */
export type Site = {
  baseUrl: string;
  environment: string;
  userIds: readonly string[];
  interestOf(id: string): string;
};

/** Of ten items, at least so many must match a visitor with a single interest. */
const leastSuited = 6;

export function startVisitors(site: Site): VisitorLane {
  const lane = { times: [] as number[], faults: [] as string[] };
  let isOver = false;
  const drive = async () => {
    for (let turn = 0; !isOver; turn++) {
      const userId = site.userIds[turn % site.userIds.length];
      const startMs = performance.now();
      const fault = faultOf(site, userId, await ask(site, userId));
      lane.times.push(performance.now() - startMs);
      if (fault !== undefined && lane.faults.length < mostFaults) lane.faults.push(fault);
      await delay(pauseMs);
    }
  };
  const driving = drive();
  return {
    ...lane,
    async stop() {
      isOver = true;
      await driving;
    },
  };
}

function faultOf({ interestOf }: Site, userId: string, { status, body }: Answered): string | undefined {
  if (status !== 200) return `${userId} was answered ${status} ${JSON.stringify(body)}`;
  if (body.user_group !== 'recommender')
    return `${userId} got a list that is not personal: ${body.user_group}`;
  const ids = body.lists[0].items.map(({ item_id: id }) => id);
  const suited = ids.filter((id) => interestOf(id) === interestOf(userId)).length;
  return suited < leastSuited
    ? `${userId} got ${suited} of ${ids.length} items of the own interest`
    : undefined;
}

type Answered = { status: number; body: Answer };

function ask({ baseUrl, environment }: Site, userId: string): Promise<Answered> {
  const lists = [{ configuration_id: visitorConfiguration, list_name: 'home', list_size: 10 }];
  const body = JSON.stringify({ device_id: `${userId}-phone`, user_id: userId, page_type: 'home', lists });
  return new Promise((resolve) => {
    const none = (error: Error) => resolve({ status: 0, body: { message: error.message } as never });
    const sent = request(`${baseUrl}/${environment}/recommendations/requests`, {
      agent,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
    });
    sent.on('error', none);
    sent.on('response', async (response) => {
      const chunks: Buffer[] = [];
      try {
        for await (const chunk of response) chunks.push(chunk);
        resolve({ status: response.statusCode!, body: JSON.parse(Buffer.concat(chunks).toString()) });
      } catch (error) {
        none(error as Error);
      }
    });
    sent.end(body);
  });
}
