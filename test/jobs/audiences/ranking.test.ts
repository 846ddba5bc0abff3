/** Properties of rankings over random event logs, against a plain recount. */

import test from 'ava';
import {
  type AudienceEvent,
  type AudienceIndex,
  createAudienceIndex,
} from '../../../src/jobs/audiences/audience-index.ts';
import { itemKey, type Targeting } from '../../../src/jobs/audiences/audience-request.ts';
import { findExclusions, joinExclusions } from '../../../src/jobs/audiences/exclusions.ts';
import { explainInterest } from '../../../src/jobs/audiences/explain-interest.ts';
import { take } from '../../../src/jobs/audiences/hold-out.ts';
import { findInterest } from '../../../src/jobs/audiences/interest.ts';
import { rank } from '../../../src/jobs/audiences/rank.ts';
import { fc } from '../../support/properties.ts';

const today = 20_000;
const daySeconds = 86_400;

const id = (prefix: string, most: number) => fc.integer({ min: 1, max: most }).map((n) => `${prefix}${n}`);

/** Many events among few users, devices and items. */
const anyEvent: fc.Arbitrary<AudienceEvent> = fc.record({
  eventType: fc.constantFrom(
    'detail_pageview',
    'purchase',
    'add_to_cart',
    'remove_from_cart',
    'page_visit',
    'impression',
  ),
  userId: fc.option(id('u', 6), { nil: undefined }),
  deviceId: fc.option(fc.oneof(id('d', 6), fc.constant('anonymous')), { nil: undefined }),
  itemType: fc.constantFrom('product', ''),
  itemId: fc.option(id('p', 5), { nil: undefined }),
  atSeconds: fc.integer({ min: (today - 400) * daySeconds, max: today * daySeconds }),
});

const optOut = fc.record({
  eventType: fc.constant('cancel_subscription'),
  userId: id('u', 6),
  deviceId: fc.option(id('d', 6), { nil: undefined }),
  atSeconds: fc.integer({ min: (today - 400) * daySeconds, max: today * daySeconds }),
  optsOut: fc.boolean(),
  names: fc.constantFrom([], ['email'], ['push']),
});

const anyLog = fc.array(fc.oneof({ weight: 6, arbitrary: anyEvent }, { weight: 1, arbitrary: optOut }), {
  maxLength: 80,
});

const promoted = { itemType: 'product', itemId: 'p1' };

const targetingOf = (bought: boolean): Targeting => ({
  environment: 'shop',
  promotion: [promoted],
  integrationType: 'email',
  suppression: { bought, mailedSinceSeconds: 0, mailings: [] },
  restrictions: [],
  today,
  halfLifeDays: 90,
});

function indexOf(log: readonly AudienceEvent[]): AudienceIndex {
  const index = createAudienceIndex({ integrationTypes: new Set(['email', 'push']) });
  for (const event of log) index.add(event);
  return index;
}

function rankAll(log: readonly AudienceEvent[], bought = false) {
  const index = indexOf(log);
  const targeting = targetingOf(bought);
  const interest = findInterest({ index, models: undefined, promotion: [promoted], halfLifeDays: 90, today });
  const excluded = joinExclusions(findExclusions(index, targeting), index.subjects.count);
  return { index, interest, ranking: rank(index, interest, excluded) };
}

/** The subject that each device counts for after the whole log. */
function personOf(event: AudienceEvent, log: readonly AudienceEvent[]): string | undefined {
  if (event.userId !== undefined) return event.userId;
  if (event.deviceId === undefined || event.deviceId === 'anonymous') return undefined;
  const last = log.findLast(({ deviceId, userId }) => deviceId === event.deviceId && userId !== undefined);
  return last?.userId ?? event.deviceId;
}

const holdsFor = (property: (log: AudienceEvent[]) => boolean | undefined) => () =>
  fc.assert(
    fc.property(anyLog, (log) => property(log) !== false),
    { numRuns: 150 },
  );

const holds = (name: string, property: (log: AudienceEvent[]) => boolean | undefined) =>
  test(name, (t) => t.notThrows(holdsFor(property)));

holds('each subject appears once, by descending score', (log) => {
  const { index, ranking } = rankAll(log);
  const ids = Array.from(ranking.subjects, (subject) => index.subjects.at(subject).id);
  const isOrdered = ranking.scores.every((score, place) => place === 0 || score <= ranking.scores[place - 1]);
  return new Set(ids).size === ids.length && isOrdered && ranking.scores.every((score) => score > 0);
});

holds('only subjects with an event on an item appear, and never the anonymous device', (log) => {
  const { index, ranking } = rankAll(log);
  const active = new Set(
    log.filter(({ itemId }) => itemId !== undefined).map((event) => personOf(event, log)),
  );
  return Array.from(ranking.subjects, (subject) => index.subjects.at(subject).id).every((subject) =>
    active.has(subject),
  );
});

holds('subjects whose last statement is an opt-out never appear', (log) => {
  const { index, ranking } = rankAll(log);
  const ids = new Set(Array.from(ranking.subjects, (subject) => index.subjects.at(subject).id));
  const statements = log
    .filter(({ optsOut, names }) => optsOut !== undefined && !names!.includes('push'))
    .map((event) => ({ ...event, subject: personOf(event, log)! }));
  return statements.every(({ subject, optsOut, atSeconds }) => {
    const isLast = !statements.some(
      (other) => other.subject === subject && !other.optsOut && other.atSeconds >= atSeconds,
    );
    return !optsOut || !isLast || !ids.has(subject);
  });
});

holds('buyers of the promoted item do not appear when buyers are excluded', (log) => {
  const { index, ranking } = rankAll(log, true);
  const buyers = new Set(
    log
      .filter(({ eventType, itemId }) => eventType === 'purchase' && itemId === 'p1')
      .map((event) => personOf(event, log)),
  );
  return Array.from(ranking.subjects, (subject) => index.subjects.at(subject).id).every(
    (subject) => !buyers.has(subject),
  );
});

/**
 * The events left in the database: opt-outs, and the last link of each device concerned, have no
 * expiry.
 */
function leftOf(log: readonly AudienceEvent[], beforeDay: number): AudienceEvent[] {
  const isOld = ({ arrivedAtSeconds }: AudienceEvent) => arrivedAtSeconds! < beforeDay * daySeconds;
  const said = (field: 'deviceId' | 'userId', value: string | undefined) =>
    log.some((event) => event.optsOut !== undefined && event[field] === value);
  return log.filter((event, place) => {
    const { optsOut, deviceId, userId } = event;
    if (!isOld(event) || optsOut !== undefined) return true;
    if (deviceId === undefined || deviceId === 'anonymous' || userId === undefined) return false;
    const later = log.slice(place + 1).filter(isOld);
    const isLast = !later.some((other) => other.deviceId === deviceId && other.userId !== undefined);
    return isLast && (said('deviceId', deviceId) || said('userId', userId));
  });
}

/** Ranked subjects with their scores, and excluded ones with their reasons. */
function answersOf(index: AudienceIndex) {
  const targeting = targetingOf(true);
  const suppression = { bought: true, mailedSinceSeconds: 1, mailings: [] };
  const interest = findInterest({ index, models: undefined, promotion: [promoted], halfLifeDays: 90, today });
  const { subjects, scores } = rank(index, interest, new Uint8Array(index.subjects.count));
  const nameOf = (subject: number) => Object.values(index.subjects.at(subject)).join(' ');
  const ranked = Array.from(
    subjects,
    (subject, place) => `${nameOf(subject)} ${scores[place].toPrecision(4)}`,
  );
  const excluded = Object.entries(findExclusions(index, { ...targeting, suppression })).flatMap(
    ([reason, marks]) =>
      Array.from(subjects)
        .filter((subject) => marks[subject] === 1)
        .map((subject) => `${nameOf(subject)} ${reason}`),
  );
  return { ranked: ranked.toSorted(), excluded: excluded.toSorted() };
}

/** One event a day of few subjects: of a device or a user alone, with occasional links. */
const longLog: fc.Arbitrary<AudienceEvent[]> = fc
  .array(
    fc
      .record({
        userId: fc.option(id('u', 3), { nil: undefined }),
        deviceId: id('d', 3),
        itemType: fc.constant('product'),
        itemId: fc.constantFrom('p1', 'p2'),
        what: fc.constantFrom(
          { eventType: 'detail_pageview' },
          { eventType: 'page_visit' },
          { eventType: 'purchase' },
          {
            eventType: 'batch_open',
            isMailing: true,
          },
          { eventType: 'cancel_subscription', optsOut: true },
        ),
      })
      .map(({ what, ...event }) => ({ ...event, ...what, atSeconds: today * daySeconds })),
    { minLength: 4, maxLength: 16 },
  )
  .map((log) => log.map((event, day) => ({ ...event, arrivedAtSeconds: (today - 16 + day) * daySeconds })));

test('an index that forgets day by day equals one that reads the remaining events', (t) => {
  const property = fc.property(longLog, (log) => {
    const [early, late] = [log.slice(0, 8), log.slice(8)];
    const running = indexOf(early);
    running.forget(today - 12);
    for (const event of late) running.add(event);
    running.forget(today - 8);
    const started = indexOf(leftOf([...leftOf(early, today - 12), ...late], today - 8));
    started.forget(today - 8);
    t.deepEqual(answersOf(running), answersOf(started));
  });
  t.notThrows(() => fc.assert(property, { numRuns: 300 }));
});

test('an expired opt-out still applies to the user of the device, and to the devices of the user', (t) => {
  const old = { eventType: 'page_visit', atSeconds: 0, arrivedAtSeconds: (today - 9) * daySeconds };
  const said = { ...old, eventType: 'cancel_subscription', optsOut: true };
  const seen = {
    eventType: 'detail_pageview',
    itemType: 'product',
    itemId: 'p1',
    atSeconds: today * daySeconds,
  };
  const index = indexOf([
    { ...old, userId: 'anna', deviceId: 'phone' },
    { ...said, deviceId: 'phone' },
    { ...old, userId: 'ben', deviceId: 'tablet' },
    { ...said, userId: 'ben' },
  ]);
  index.forget(today);
  for (const subject of [{ userId: 'anna' }, { deviceId: 'tablet' }, { userId: 'cleo' }])
    index.add({ ...seen, ...subject });
  const { ranked, excluded } = answersOf(index);
  t.deepEqual(excluded, ['anna user_id opted_out', 'ben user_id opted_out']);
  t.is(ranked.length, 3);
});

test('a buyer is excluded, however many later events they have on the item', (t) => {
  const common = { userId: 'u1', itemType: 'product', itemId: 'p1' };
  const bought: AudienceEvent = { ...common, eventType: 'purchase', atSeconds: (today - 2) * daySeconds };
  const views = Array.from({ length: 60 }, (): AudienceEvent => {
    return { ...common, eventType: 'detail_pageview', atSeconds: (today - 1) * daySeconds };
  });
  t.is(rankAll([bought, ...views]).ranking.subjects.length, 1);
  t.is(rankAll([bought, ...views], true).ranking.subjects.length, 0);
});

test('a subject counts an item once, also from events without an item type', (t) => {
  const at = { eventType: 'detail_pageview', atSeconds: today * daySeconds };
  const index = indexOf([
    { ...at, userId: 'before', itemType: '', itemId: 'p1' },
    { ...at, userId: 'both', itemType: '', itemId: 'p1' },
    { ...at, userId: 'both', itemType: 'product', itemId: 'p1' },
    { ...at, userId: 'another', itemType: '', itemId: 'p2' },
  ]);
  const metBy = (min: number, max: number) => {
    const restrictions = [{ itemKeys: [itemKey('product', 'p1'), itemKey('product', 'p3')], min, max }];
    const { not_in_configuration: marks } = findExclusions(index, { ...targetingOf(false), restrictions });
    return ['before', 'both', 'another'].filter(
      (id) => !marks![index.subjects.find({ id, userType: 'user_id' })],
    );
  };
  t.deepEqual(metBy(1, 1), ['before', 'both']);
  t.deepEqual(metBy(0, 0), ['another']);
});

test('of two simultaneous statements the opt-out counts, in any order', (t) => {
  const common = { userId: 'u1', atSeconds: today * daySeconds, names: [] };
  const statements: AudienceEvent[] = [
    { ...common, eventType: 'cancel_subscription', optsOut: true },
    { ...common, eventType: 'start_subscription', optsOut: false },
  ];
  const met = { ...common, eventType: 'detail_pageview', itemType: 'product', itemId: 'p1' };
  for (const log of [statements, statements.toReversed()])
    t.is(rankAll([met, ...log]).ranking.subjects.length, 0);
});

holds('the parts of an explanation add up to the score', (log) => {
  const { index, interest, ranking } = rankAll(log);
  for (const [place, subject] of ranking.subjects.entries()) {
    const parts = explainInterest(index, interest, subject);
    const sum = parts.reduce((total, { score }) => total + score, 0);
    if (Math.abs(sum - ranking.scores[place]) > 1e-3 * Math.max(1, sum)) return false;
  }
  return true;
});

holds('an audience has its size at most, and with its hold-out is the beginning of the ranking', (log) => {
  const { index, ranking } = rankAll(log);
  const all = Array.from(ranking.subjects, (subject) => index.subjects.at(subject).id);
  for (const share of [0, 0.5]) {
    const { members, heldOut } = take(ranking, index.subjects, 3, { share, salt: 's', audienceName: 'a' });
    const ids = [...members, ...heldOut].map((member) => member.id);
    if (members.length > 3 || (share === 0 && heldOut.length > 0)) return false;
    if (ids.toSorted().join() !== all.slice(0, ids.length).toSorted().join()) return false;
  }
  return true;
});

for (const [what, day, isMailed] of [
  ['dated 1900, which databases and spreadsheets write for no date', -25_567, false],
  ['dated before all calendars', -719_162, false],
  ['dated today', today, true],
  ['of 2040', 25_600, true],
] as const)
  test(`a mailing ${what} has its own age`, (t) => {
    const index = createAudienceIndex({ integrationTypes: new Set(['email']) });
    const subject = { userId: 'u1', itemType: 'product', itemId: 'p1' };
    index.add({ ...subject, eventType: 'detail_pageview', atSeconds: today * daySeconds });
    index.add({ ...subject, eventType: 'batch_open', atSeconds: day * daySeconds, isMailing: true });
    const suppression = { bought: false, mailedSinceSeconds: (today - 7) * daySeconds, mailings: [] };
    const exclusions = findExclusions(index, { ...targetingOf(false), suppression });
    t.deepEqual([...exclusions.mailed!], [Number(isMailed)]);
  });

test('events stored before their ID became a placeholder are nobody’s', (t) => {
  const subjectsWith = (placeholderIds?: ReadonlySet<string>) => {
    const index = createAudienceIndex({ integrationTypes: new Set(), placeholderIds });
    const view = { eventType: 'detail_pageview', itemType: 'product', itemId: 'p1', atSeconds: 0 };
    index.add({ ...view, userId: 'Kiosk-1' });
    index.add({ ...view, userId: 'u1' });
    return index.subjects.count;
  };
  t.is(subjectsWith(), 2);
  t.is(subjectsWith(new Set(['kiosk-1'])), 1);
});
