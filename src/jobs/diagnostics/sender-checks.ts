/** Checks the senders of events: robots, anonymous visitors, shared devices, clocks, duplicates. */

import {
  type Delay,
  findSharedIds,
  listDelays,
  listRepetitions,
  type TypeCounts,
} from '../../repository/doctor/sender-queries.ts';
import { type Check, sumOf } from './examination.ts';
import { type Finding, type Shares, severityOf, shareFinding } from './finding.ts';

/** Some robots and anonymous visitors are normal. */
const crowdShares = { warning: 0.1, fault: 0.5 };

/** Families share tablets. */
const deviceShares = { warning: 0.01, fault: 0.5 };

const checkCrowd =
  (check: 'robots' | 'anonymous', total: 'count' | 'byPeople', predicate: string, hint: string): Check =>
  async ({ counts }) => {
    const [count, ofCount] = [sumOf(counts, check), sumOf(counts, total)];
    if (count === 0 || severityOf(count, ofCount, crowdShares) === 'notice') return [];
    const examples = typesBy(counts, check);
    const shares = crowdShares;
    return [shareFinding({ check, count, ofCount, noun: 'events', predicate, hint, examples, shares })];
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

/** Reports automated browsers and assistants, which may be a test whose events count nowhere. */
export const checkAgents: Check = async ({ agents, settings: { visitorAgents } }) => {
  if (!agents) return [];
  const ofCount = Object.values(agents).reduce((sum, count) => sum + count, 0);
  return (['automation', 'assistant'] as const).flatMap((subject): Finding[] => {
    const count = agents[subject];
    if (count === 0) return [];
    const isVisitor = visitorAgents.has(subject);
    const effect = isVisitor
      ? 'count as visitors'
      : 'get lists of the group blacklist and count in no metric';
    return [
      shareFinding({
        check: 'agents',
        severity: isVisitor ? 'notice' : undefined,
        shares: crowdShares,
        ...{ subject, count, ofCount, noun: 'recent calls' },
        predicate: `come from ${agentNames[subject]}: they ${effect}.`,
        hint: `visitor_agents: [${subject}] of an environment in the deployment file makes them visitors; use it for tests.`,
        examples: [],
      }),
    ];
  });
};

const agentNames = {
  automation: 'browsers that a program steers (headless Chrome, Cypress)',
  assistant: 'AI assistants that fetch for a person (ChatGPT-User, Claude-User)',
};

/** Fewer visitors may come from one network by chance. */
const enoughVisitors = 20;

export const checkNetworks: Check = async ({ networks }) => {
  if (!networks || networks.visitorCount < enoughVisitors) return [];
  const { largest, largestCount: count, visitorCount: ofCount } = networks;
  if (count * 2 <= ofCount) return [];
  return [
    shareFinding({
      check: 'shared_network',
      severity: 'warning',
      ...{ count, ofCount, noun: 'visitors of an hour' },
      predicate:
        'come from one network: a proxy hides their addresses, or one sender imitates many devices. Visitors of one network make no query popular.',
      hint: 'List your proxies in server.trusted_proxies of the deployment file, and make them send X-Forwarded-For or Forwarded.',
      examples: [`network ${largest}`],
    }),
  ];
};

type SharedCheck = {
  kind: Parameters<typeof findSharedIds>[2];
  check: string;
  /** Number of others that an ID may occur with. */
  most: number;
  shares: Shares;
  noun: string;
  predicate: string;
  hint: string;
  exampleOf(found: { text: string; count: number }): string;
};

const checkShared =
  ({ kind, check, most, exampleOf, ...finding }: SharedCheck): Check =>
  async ({ db, window }) => {
    const found = await findSharedIds(db, window(), kind, most);
    if (!found || found.sharedCount === 0) return found && [];
    const { sharedCount: count, idCount: ofCount, cases } = found;
    return [shareFinding({ check, ...finding, count, ofCount, examples: cases.map(exampleOf) })];
  };

export const checkSharedDevices = checkShared({
  ...{ kind: 'device', check: 'devices_with_several_users', most: 1, shares: deviceShares },
  noun: 'devices with a user',
  predicate: 'have several users, so their histories mix.',
  hint: 'Look for a constant device_id (a server-side cookie); send a sign_out when a user signs out.',
  exampleOf: ({ text, count }) => `device ${text} (${count} users)`,
});

/** More than a person owns; a single such user is a fault of the integration. */
const mostDevices = 50;
const singleShares = { warning: 0, fault: 0.01 };

export const checkSharedUsers = checkShared({
  ...{ kind: 'user', check: 'users_with_many_devices', most: mostDevices, shares: singleShares },
  noun: 'users with a device',
  predicate: `have more than ${mostDevices} devices: their user_id is probably a constant.`,
  hint: 'Send user_id only when a user is signed in, and name constants in placeholder_ids of the deployment file.',
  exampleOf: ({ count }) => `a user with ${count} devices`,
});

export const checkSharedEventIds = checkShared({
  ...{ kind: 'event', check: 'event_ids_of_several_events', most: 1, shares: singleShares },
  noun: 'event_ids',
  predicate: 'are on events of several types; further events of these types are dropped as repetitions.',
  hint: 'Generate a new event_id for every event; a page or session ID is none.',
  exampleOf: ({ text, count }) => `event_id ${text} (${count} event types)`,
});

export const checkRepetitions: Check = async ({ db, counts, window }) => {
  const cases = await listRepetitions(db, window());
  if (!cases || cases.length === 0) return cases && [];
  return [
    shareFinding({
      check: 'duplicates',
      ...{ count: cases[0].total, ofCount: sumOf(counts, 'withoutEventId'), noun: 'events without event_id' },
      predicate: 'repeat another event within seconds.',
      hint: 'Give each event an event_id, so that retries are harmless, and look for a tag that fires twice.',
      examples: cases.map((one) => `${one.text} (${one.count} times)`),
    }),
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
    shareFinding({
      check: 'clock_skew',
      subject: 'ahead',
      ...{ count, ofCount, noun: 'events' },
      predicate: `have a time after their arrival, up to ${Math.round(most)} s: a clock is fast.`,
      hint: 'Leave timestamp out for events sent at once, or take it from a synchronised server clock, in UTC.',
      examples: typesBy(counts, 'ahead'),
    }),
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
    shareFinding({
      check: 'clock_skew',
      subject: 'behind',
      ...{ count, ofCount: late + timely, noun: 'events' },
      predicate: `arrived more than a minute after they happened: ${cause}.`,
      hint: 'Send events as they occur, batches at most a second apart; give timestamp in UTC or with its offset.',
      examples: reported
        .slice(0, 5)
        .map((delay) => `${delay.eventType}: ${Math.round(delay.medianSeconds)} s late (median)`),
    }),
  ];
}

function isConstant({ lowSeconds, highSeconds, spanSeconds }: Delay): boolean {
  return spanSeconds >= shortestSpanSeconds && highSeconds - lowSeconds <= sameDelaySeconds;
}
