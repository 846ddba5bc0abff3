/** Callers of all nodes, with the requests of a site; every answer is checked. */

import { setTimeout as delay } from 'node:timers/promises';
import type { Chance } from '../fuzz/chance.ts';
import { findAnswerFault } from '../support/answer-check.ts';
import { type Answer, call } from './call.ts';
import { createLedger, type Ledger } from './ledger.ts';
import { createQuestions } from './questions.ts';
import { type ChaosNode, environments } from './world.ts';

const pauseMs = 20;

export type Load = {
  ledger: Ledger;
  /** Number of answers by status. */
  answers: Map<number, number>;
  /** Wrong answers. */
  faults: string[];
  /** Answers of nodes without fault: the request and the time. */
  untroubled: { what: string; ms: number }[];
  /** Requests that a running node never answered. */
  unanswered: string[];
  stop(): Promise<void>;
};

export type Ask = (method: string, path: string, body?: object) => Promise<Answer>;

export function startLoad(nodes: readonly ChaosNode[], chance: Chance, callers: number): Load {
  const load: Omit<Load, 'stop'> = {
    ledger: createLedger(environments),
    answers: new Map(),
    faults: [],
    untroubled: [],
    unanswered: [],
  };
  let isOver = false;
  const ask = createAsk(nodes, chance, load);
  const drive = async (_: unknown, caller: number) => {
    const questions = createQuestions({ chance, ask, ledger: load.ledger, faults: load.faults, caller });
    while (!isOver) {
      await chance.pick(questions)(chance.pick(environments));
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

/** Calls a running node, and checks the answer. */
function createAsk(nodes: readonly ChaosNode[], chance: Chance, load: Omit<Load, 'stop'>): Ask {
  return async (method, path, body) => {
    const living = nodes.filter(({ isUp }) => isUp);
    const node = chance.pick(living.length > 0 ? living : nodes);
    const { isUp, isTroubled } = node;
    const startMs = performance.now();
    const answer = await call(node, method, path, body);
    const ms = performance.now() - startMs;
    const what = `${method} ${path}`;
    load.answers.set(answer.status, (load.answers.get(answer.status) ?? 0) + 1);
    if (answer.status === 0 && isUp && node.isUp)
      load.unanswered.push(`${what} (${answer.failure}, ${Math.round(ms)} ms)`);
    if (!isTroubled && !node.isTroubled) load.untroubled.push({ what: `${what}: ${answer.status}`, ms });
    const fault = faultOf({ method, path: `/api${path}` }, answer);
    if (fault !== undefined) load.faults.push(fault);
    return answer;
  };
}

/** An unavailable database or node is 503; other failures are faults. */
const documented = [0, 200, 503];

/** If a list could not be stored, its pages are unknown (docs/decisions/0006). */
const mayBeUnkept = ({ path }: { path: string }, { status, body }: Answer) =>
  status === 404 && path.includes('/recommendations/lists') && body?.title === 'List unknown';

function faultOf(request: { method: string; path: string }, answer: Answer): string | undefined {
  const { status, body, retryAfter } = answer;
  const { method, path } = request;
  if (mayBeUnkept(request, answer)) return undefined;
  if (!documented.includes(status)) return `${method} ${path} answered ${status} ${JSON.stringify(body)}`;
  if (status === 0) return undefined;
  if (status === 503 && retryAfter === undefined) return `${method} ${path} answered 503 without Retry-After`;
  const contentType = status === 200 ? 'application/json' : 'application/problem+json';
  return findAnswerFault(request, { status, contentType, body: JSON.stringify(body) });
}
