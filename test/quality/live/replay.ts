/** Replays a log through the service in the order of time, and asks it and the baselines each question at its moment. */

import { type Baselines, createBaselines, type Ranking } from './baselines.ts';
import type { LoggedEvent, SiteLog } from './log.ts';
import { depth } from './measures.ts';
import { createVisitor, isInterest, noteEvent, type Question, type Visitor } from './questions.ts';
import { report } from './report.ts';
import type { LiveService } from './service.ts';

export type Answered = Question & {
  /** By name, `service` among them, and `service at S` for each strength S of the calibration: the first items that the subject had not met, or any where `again` is asked. */
  lists: Map<string, string[]>;
};

/** What subjects met already is left out, so more than the depth is asked for, up to the longest list. */
const listSize = 100;
const longestList = 1_000;

/** A request's history has 50 entries at most. */
const mostInBasket = 50;

export type ReplayOptions = {
  log: SiteLog;
  questions: readonly Question[];
  service: LiveService;
  /** Seconds of the log between two trainings. */
  trainEverySeconds: number;
  /** Strengths of the calibration to ask for besides the service's own [none]. */
  calibrations?: readonly number[];
  say(line: string): void;
};

export async function replay({
  log,
  questions,
  service,
  trainEverySeconds,
  calibrations = [],
  say,
}: ReplayOptions): Promise<Answered[]> {
  const { events } = log;
  const baselines = createBaselines(log.items);
  const visitors = new Map<string, Visitor>();
  const items = log.items.toSorted((a, b) => a.publishedAt - b.publishedAt);
  const answered: Answered[] = [];
  let publishedCount = 0;
  let posted = 0;
  let trainedAt = Number.NEGATIVE_INFINITY;

  const moveTo = async (event: number) => {
    const { at } = events[event];
    await service.moveTo(at);
    const start = publishedCount;
    while (publishedCount < items.length && items[publishedCount].publishedAt <= at) publishedCount += 1;
    await service.putItems(items.slice(start, publishedCount));
    await service.postEvents(events.slice(posted, event));
    for (; posted < event; posted++) note(events[posted], baselines, visitors);
  };
  for (const question of questions) {
    const { at, subject } = events[question.event];
    await moveTo(question.event);
    if (at - trainedAt > trainEverySeconds) {
      say(`${new Date(at * 1_000).toISOString()} ${await service.train()}`);
      if (answered.length > 0) say(report(log, answered));
      trainedAt = at;
    }
    answered.push({
      ...question,
      lists: await listsFor(question, {
        events,
        service,
        calibrations,
        baselines,
        visitor: visitors.get(subject),
      }),
    });
  }
  return answered;
}

function note(event: LoggedEvent, baselines: Baselines, visitors: Map<string, Visitor>): void {
  if (!isInterest(event)) return;
  baselines.add(event);
  const visitor = visitors.get(event.subject) ?? createVisitor();
  visitors.set(event.subject, visitor);
  noteEvent(visitor, event);
}

type Asking = {
  events: readonly LoggedEvent[];
  service: LiveService;
  calibrations: readonly number[];
  baselines: Baselines;
  visitor: Visitor | undefined;
};

async function listsFor(
  { event, kinds, page }: Question,
  { events, service, calibrations, baselines, visitor }: Asking,
): Promise<Answered['lists']> {
  const { at, subject, document } = events[event];
  const mayRepeat = kinds.includes('again') || page === 'basket';
  const isShown = (itemId: string) =>
    page === 'basket' && visitor?.basket.has(itemId) ? false : mayRepeat || !visitor?.met.has(itemId);
  const lists = new Map<string, string[]>();
  const ids = { device_id: document.device_id, user_id: document.user_id };
  const onDisplay = page === 'item' ? visitor?.lastItem : undefined;
  const basket = page === 'basket' ? [...(visitor?.basket ?? [])].slice(-mostInBasket) : [];
  const size = Math.min(longestList, listSize + (visitor?.met.size ?? 0));
  for (const calibration of [undefined, ...calibrations]) {
    const served = await service.list(ids, { page, onDisplay, basket, size, calibration });
    const name = calibration === undefined ? 'service' : `service at ${calibration}`;
    lists.set(name, served.filter(isShown).slice(0, depth));
  }
  for (const [name, ranking] of baselines.rank(subject, at)) lists.set(name, bestOf(ranking, isShown));
  return lists;
}

function bestOf(ranking: Ranking, isShown: (itemId: string) => boolean): string[] {
  return [...ranking]
    .filter(([itemId]) => isShown(itemId))
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .slice(0, depth)
    .map(([itemId]) => itemId);
}
