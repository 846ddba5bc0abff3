/** Callers of all nodes: events with ids until they are acknowledged, and whatever else a site asks; every answer is looked at. */

import { Agent, request as httpRequest } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Chance } from '../fuzz/chance.ts';
import { findAnswerFault } from '../support/answer-check.ts';
import { type ChaosNode, environments } from './world.ts';

/** A node that is stopped answers nothing; its caller turns to another. */
const patienceMs = 10_000;
const itemCount = 20;
const pauseMs = 20;

export type Answer = { status: number; body: Record<string, unknown> | undefined };

export type Load = {
  acknowledged: Set<string>;
  answers: Map<number, number>;
  /** What should not have been answered. */
  faults: string[];
  stop(): Promise<void>;
};

const agent = new Agent({ keepAlive: true });

/** Status 0 when no answer came. */
export function call(node: ChaosNode, method: string, path: string, body?: object): Promise<Answer> {
  return new Promise((resolve) => {
    const { baseUrl, authorization } = node.served;
    const none = () => resolve({ status: 0, body: undefined });
    const request = httpRequest(baseUrl + path, {
      agent,
      method,
      headers: { authorization, ...(body && { 'content-type': 'application/json' }) },
      signal: AbortSignal.timeout(patienceMs),
    });
    request.on('error', none);
    request.on('response', async (response) => {
      const chunks: Buffer[] = [];
      try {
        for await (const chunk of response) chunks.push(chunk);
        resolve({ status: response.statusCode!, body: JSON.parse(Buffer.concat(chunks).toString() || '{}') });
      } catch {
        none();
      }
    });
    request.end(body && JSON.stringify(body));
  });
}

export function startLoad(nodes: readonly ChaosNode[], chance: Chance, callers: number): Load {
  const load = {
    acknowledged: new Set<string>(),
    answers: new Map<number, number>(),
    faults: [] as string[],
  };
  let sent = 0;
  let isOver = false;
  const up = () => {
    const living = nodes.filter(({ isUp }) => isUp);
    return chance.pick(living.length > 0 ? living : nodes);
  };
  const ask = async (method: string, path: string, body?: object): Promise<Answer> => {
    const answer = await call(up(), method, path, body);
    load.answers.set(answer.status, (load.answers.get(answer.status) ?? 0) + 1);
    const fault = faultOf({ method, path: `/api${path}` }, answer);
    if (fault !== undefined) load.faults.push(fault);
    return answer;
  };
  const postEvents = async (environment: string) => {
    const events = Array.from({ length: 1 + chance.below(20) }, () => ({
      event_type: chance.pick(['detail_pageview', 'page_visit', 'purchase']),
      page_type: 'detail',
      device_id: `${environment}-d${chance.below(30)}`,
      user_id: chance.happens(0.5) ? `${environment}-u${chance.below(10)}` : undefined,
      action_item: `${environment}-a${chance.below(itemCount)}`,
      action_item_type: 'article',
      event_id: `e${sent++}`,
    }));
    while ((await ask('POST', `/${environment}/events`, { events })).status !== 200) await delay(pauseMs);
    for (const { event_id } of events) load.acknowledged.add(event_id);
  };
  const others = createQuestions({ chance, ask, faults: load.faults });
  const drive = async () => {
    while (!isOver) {
      const environment = chance.pick(environments);
      await (chance.happens(0.5) ? postEvents(environment) : chance.pick(others)(environment));
      await delay(pauseMs);
    }
  };
  const driving = Promise.all(Array.from({ length: callers }, drive));
  return {
    ...load,
    async stop() {
      isOver = true;
      await driving;
    },
  };
}

type Ask = (method: string, path: string, body?: object) => Promise<Answer>;
type Question = (environment: string) => Promise<unknown>;
type Questions = { chance: Chance; ask: Ask; faults: string[] };

function createQuestions({ chance, ask, faults }: Questions): Question[] {
  const isOwn = (what: string, environment: string, ids: unknown[]) => {
    const foreign = ids.filter((id) => !String(id).startsWith(`${environment}-`));
    if (foreign.length > 0) faults.push(`${what} of ${environment} answered with ${foreign}`);
  };
  return [
    async (environment) => {
      const id = `${environment}-a${chance.below(itemCount)}`;
      await ask('PUT', `/${environment}/items/article/${id}`, { title: `Article ${id}` });
    },
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
    (environment) => ask('GET', `/metrics/events?environment=${environment}`),
  ];
}

function idsOf(body: Answer['body']): string[] {
  const lists = body!.lists as { items: { item_id: string }[] }[];
  return lists.flatMap(({ items }) => items.map(({ item_id: id }) => id));
}

/** A database or a node that is away is documented as 503; nothing else may go wrong. */
const documented = [0, 200, 503];

/** A list that could not be kept is answered all the same, and its pages are unknown: decision 7. */
const mayBeUnkept = ({ path }: { path: string }, { status, body }: Answer) =>
  status === 404 && path.includes('/recommendations/lists') && body?.title === 'List unknown';

function faultOf(request: { method: string; path: string }, answer: Answer): string | undefined {
  const { status, body } = answer;
  const { method, path } = request;
  if (mayBeUnkept(request, answer)) return undefined;
  if (!documented.includes(status)) return `${method} ${path} answered ${status} ${JSON.stringify(body)}`;
  if (status === 0) return undefined;
  const contentType = status === 200 ? 'application/json' : 'application/problem+json';
  return findAnswerFault(request, { status, contentType, body: JSON.stringify(body) });
}
