/**
 * The demo's visitors and their events of a month. Five have names and clearly different tastes, so that their lists can
 * be compared; the models learn from all of them.
 */
import { type DemoItem, startOfMinute } from './items.ts';
import { type Chance, createChance } from './random.ts';
import { type Taste, type TasteName, tasteFactor, tastes } from './tastes.ts';
import { type DemoEvent, walkVisit } from './visits.ts';

export type Visitor = {
  name: string;
  identity: { device_id: string; user_id?: string };
  taste: Taste;
  /** Language of the visitor besides English; ISO 639-1. */
  secondLanguage?: string;
  channel: string;
  /** When each visit begins, in minutes before now, oldest first. */
  visitAgesMinutes: number[];
};

/** The named visitors: the user_id is the name, the device_id `NAME-phone`. */
export const namedVisitors: readonly { name: string; taste: TasteName; secondLanguage?: string }[] = [
  { name: 'anna', taste: 'walker' },
  { name: 'bram', taste: 'cyclist', secondLanguage: 'nl' },
  { name: 'chloe', taste: 'baker', secondLanguage: 'fr' },
  { name: 'dirk', taste: 'musician', secondLanguage: 'de' },
  { name: 'emma', taste: 'stargazer' },
];

const anonymousVisitorCount = 300;
const minutesPerDay = 24 * 60;
const historyMinutes = 30 * minutesPerDay;
/** The latest visit begins this long ago, so that it has events. */
const youngestVisitMinutes = 5;
/** Visits of the five, the last one within the hour. */
const namedVisitAgesMinutes = [16 * minutesPerDay, 6 * minutesPerDay, 1600, 25];

const channels = ['desktop-web', 'desktop-web', 'mobile-web', 'mobile-web', 'iphone', 'android', 'ipad'];
const secondLanguages = ['nl', 'de', 'fr'];
const secondLanguageShare = 0.3;
/** Factor of items in the visitor's second language; items in further languages are not opened. */
const secondLanguageFactor = 3;

/** Returns about 8,000 events, ordered by time; the same for the same seed, items and minute of `now`. */
export function demoEvents(options: { now: Date; items: readonly DemoItem[]; seed: number }): DemoEvent[] {
  const { items, seed } = options;
  const nowMs = startOfMinute(options.now);
  const popularity = items.map((item) => popularityOf(item, seed));
  return listVisitors(seed)
    .flatMap((visitor) => visitorEvents({ visitor, items, popularity, nowMs, seed }))
    .sort((left, right) => left.timestamp - right.timestamp);
}

export function listVisitors(seed: number): Visitor[] {
  const named = namedVisitors.map((row) => nameVisitor(row));
  const anonymous = Array.from({ length: anonymousVisitorCount }, (_, index) =>
    inventVisitor(`visitor-${String(index + 1).padStart(3, '0')}`, index, seed),
  );
  return [...named, ...anonymous];
}

function nameVisitor({ name, taste, secondLanguage }: (typeof namedVisitors)[number]): Visitor {
  return {
    name,
    identity: { device_id: `${name}-phone`, user_id: name },
    taste: tastes.find((candidate) => candidate.name === taste)!,
    secondLanguage,
    channel: 'mobile-web',
    visitAgesMinutes: namedVisitAgesMinutes,
  };
}

/** Each taste gets the same number of visitors; every other visitor has an account. */
function inventVisitor(name: string, index: number, seed: number): Visitor {
  const chance = createChance(`${seed}/${name}`);
  const hasAccount = Math.floor(index / tastes.length) % 2 === 0;
  return {
    name,
    identity: { device_id: `${name}-device`, ...(hasAccount && { user_id: name }) },
    taste: tastes[index % tastes.length],
    secondLanguage: chance.happens(secondLanguageShare) ? chance.pick(secondLanguages) : undefined,
    channel: chance.pick(channels),
    visitAgesMinutes: inventVisitAges(chance),
  };
}

/** Returns the ages of one to six visits over the month, mostly few. */
function inventVisitAges(chance: Chance): number[] {
  const visitCount = 1 + Math.floor(6 * chance.fraction() ** 2);
  const span = historyMinutes - youngestVisitMinutes;
  return Array.from(
    { length: visitCount },
    () => youngestVisitMinutes + Math.floor(span * chance.fraction()),
  ).sort((left, right) => right - left);
}

/** Returns 1 to 5 with a long tail: few items are opened often. */
function popularityOf(item: DemoItem, seed: number): number {
  return 1 / (0.2 + 0.8 * createChance(`${seed}/${item.item_id}`).fraction());
}

type Month = {
  visitor: Visitor;
  items: readonly DemoItem[];
  popularity: readonly number[];
  nowMs: number;
  seed: number;
};

function visitorEvents({ visitor, items, popularity, nowMs, seed }: Month): DemoEvent[] {
  const liking = Float64Array.from(items, (item, index) => popularity[index] * likingOf(visitor, item));
  return visitor.visitAgesMinutes.flatMap((ageMinutes, index) =>
    walkVisit({
      identity: visitor.identity,
      channel: visitor.channel,
      startMs: nowMs - ageMinutes * 60_000,
      endMs: nowMs,
      eventIdPrefix: `demo-${seed}-${visitor.name}-${index + 1}`,
      items,
      liking,
      chance: createChance(`${seed}/${visitor.name}/${index + 1}`),
    }),
  );
}

function likingOf({ taste, secondLanguage }: Visitor, item: DemoItem): number {
  const weight = tasteFactor(taste, item);
  if (item.language === 'en') return weight;
  return item.language === secondLanguage ? weight * secondLanguageFactor : 0;
}
