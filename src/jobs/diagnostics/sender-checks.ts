/** Checks the senders of events: robots, anonymous visitors, shared devices, clocks, duplicates. */

import { type Delay, listDelays } from '../../repository/doctor/delays.ts';
import type { TypeCounts } from '../../repository/doctor/event-types.ts';
import { listRepetitions } from '../../repository/doctor/repetitions.ts';
import { findSharedDevices } from '../../repository/doctor/shared-devices.ts';
import { type Check, sumOf } from './examination.ts';
import { describeShare, type Finding, ordinaryShares, severityOf } from './finding.ts';

/** Some robots and anonymous visitors are normal. */
const crowdShares = { warning: 0.1, fault: 0.5 };

/** Families share tablets. */
const deviceShares = { warning: 0.01, fault: 0.5 };

/** Reports events of a kind that is normal in small shares only. */
const checkCrowd =
  (check: 'robots' | 'anonymous', total: 'count' | 'byPeople', predicate: string, hint: string): Check =>
  async ({ counts }) => {
    const [count, ofCount] = [sumOf(counts, check), sumOf(counts, total)];
    const severity = severityOf(count, ofCount, crowdShares);
    if (count === 0 || severity === 'notice') return [];
    const description = `${describeShare(count, ofCount, 'events')} ${predicate}`;
    return [{ check, severity, count, ofCount, description, hint, examples: typesBy(counts, check) }];
  };

export const checkRobots = checkCrowd(
  'robots',
  'count',
  'come from robots and are not used for training.',
  'Do not render tracking for crawlers. A back end that sends events for visitors must not send a crawler as its own user agent.',
);

export const checkAnonymous = checkCrowd(
  'anonymous',
  'byPeople',
  'have no user and the device anonymous, so nothing is learnt from them.',
  'Set a device_id that lives as long as the cookie consent allows; send anonymous only without consent.',
);

/** Lists event types such as `detail_pageview (12)`, the most frequent first. */
function typesBy(counts: readonly TypeCounts[], name: 'robots' | 'anonymous' | 'ahead'): string[] {
  return counts
    .filter((count) => count[name] > 0)
    .toSorted((one, other) => other[name] - one[name])
    .slice(0, 5)
    .map((count) => `${count.eventType} (${count[name]})`);
}

/** Fewer visitors may come from one network by chance. */
const enoughVisitors = 20;

export const checkNetworks: Check = async ({ networks }) => {
  if (!networks || networks.visitorCount < enoughVisitors) return [];
  const { largest, largestCount: count, visitorCount: ofCount } = networks;
  if (count * 2 <= ofCount) return [];
  return [
    {
      check: 'shared_network',
      severity: 'warning',
      count,
      ofCount,
      description: `${describeShare(count, ofCount, 'visitors of an hour')} come from one network: a proxy hides their addresses, or one sender imitates many devices. Visitors of one network make no query popular.`,
      hint: 'List your proxies in server.trusted_proxies of the deployment file, and make them send X-Forwarded-For or Forwarded.',
      examples: [`network ${largest}`],
    },
  ];
};

export const checkSharedDevices: Check = async ({ db, window }) => {
  const found = await findSharedDevices(db, window());
  if (!found || found.sharedCount === 0) return found && [];
  const { sharedCount: count, deviceCount: ofCount, cases } = found;
  return [
    {
      check: 'devices_with_several_users',
      severity: severityOf(count, ofCount, deviceShares),
      count,
      ofCount,
      description: `${describeShare(count, ofCount, 'devices with a user')} have several users, so their histories mix.`,
      hint: 'Look for a constant device_id (a literal "undefined", a server-side cookie); generate a new one when a user logs out.',
      examples: cases.map((one) => `device ${one.text} (${one.count} users)`),
    },
  ];
};

export const checkRepetitions: Check = async ({ db, counts, window }) => {
  const cases = await listRepetitions(db, window());
  if (!cases || cases.length === 0) return cases && [];
  const [count, ofCount] = [cases[0].total, sumOf(counts, 'withoutEventId')];
  return [
    {
      check: 'duplicates',
      severity: severityOf(count, ofCount),
      count,
      ofCount,
      description: `${describeShare(count, ofCount, 'events without event_id')} repeat another event within seconds.`,
      hint: 'Give each event an event_id, so that retries are harmless, and look for a tag that fires twice.',
      examples: cases.map((one) => `${one.text} (${one.count} times)`),
    },
  ];
};

export const checkClocks: Check = async ({ db, counts, window }) => {
  const findings = aheadFindings(counts);
  if (sumOf(counts, 'late') === 0) return findings;
  const delays = await listDelays(db, window());
  return delays && [...findings, ...lateFindings(delays, counts)];
};

function aheadFindings(counts: readonly TypeCounts[]): Finding[] {
  const [count, ofCount] = [sumOf(counts, 'ahead'), sumOf(counts, 'byPeople')];
  if (count === 0) return [];
  const most = Math.max(...counts.map(({ mostAheadSeconds }) => mostAheadSeconds));
  return [
    {
      check: 'clock_skew',
      severity: severityOf(count, ofCount),
      subject: 'ahead',
      count,
      ofCount,
      description: `${describeShare(count, ofCount, 'events')} have a time after their arrival, up to ${Math.round(most)} s: a clock is fast.`,
      hint: 'Leave timestamp out for events sent at once, or take it from a synchronised server clock, in UTC.',
      examples: typesBy(counts, 'ahead'),
    },
  ];
}

/** Events that stay equally late for this span come from a slow clock or a wrong time zone. */
const sameDelaySeconds = 120;
const shortestSpanSeconds = 600;

/**
 * If most events arrive at once, late ones are reported. If most are late, the sender loads history
 * or sends batches; then only a constant delay is reported.
 */
function lateFindings(delays: readonly Delay[], counts: readonly TypeCounts[]): Finding[] {
  const [late, timely] = [sumOf(counts, 'late'), sumOf(counts, 'timely')];
  const isLive = timely > late;
  const constant = delays.filter(isConstant);
  const reported = isLive ? delays : constant;
  if (reported.length === 0) return [];
  const count = isLive ? late : constant.reduce((sum, delay) => sum + delay.count, 0);
  const cause =
    constant.length > 0
      ? 'a clock is slow or in another time zone'
      : 'they are sent late, or a clock is slow';
  return [
    {
      check: 'clock_skew',
      severity: severityOf(count, late + timely, ordinaryShares),
      subject: 'behind',
      count,
      ofCount: late + timely,
      description: `${describeShare(count, late + timely, 'events')} arrived more than a minute after they happened: ${cause}.`,
      hint: 'Send events as they occur, batches at most a second apart; give timestamp in UTC or with its offset.',
      examples: reported
        .slice(0, 5)
        .map((delay) => `${delay.eventType}: ${Math.round(delay.medianSeconds)} s late (median)`),
    },
  ];
}

function isConstant({ lowSeconds, highSeconds, spanSeconds }: Delay): boolean {
  return spanSeconds >= shortestSpanSeconds && highSeconds - lowSeconds <= sameDelaySeconds;
}
