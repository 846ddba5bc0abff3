/**
 * The event types that the interface's priority table expects, and their purpose.
 *
 * Retail types are expected from shops, media types where content is read, watched or heard. A
 * family for optional features (groups, mailings, searches, sessions) is expected as a whole once one of
 * its types arrives.
 */

import type { EnvironmentSettings } from '../../deployment/deployment.ts';
import type { Check } from './examination.ts';
import type { Finding, Severity } from './finding.ts';

type Expectation = {
  eventType: string;
  severity: Severity;
  purpose: string;
  appliesTo?: 'goods' | 'content';
  family?: 'batch' | 'group' | 'search' | 'session';
};

const learning = 'The models learn less without it.';
const analysis = 'Metrics of recommendations stay empty without it.';

type Group = Omit<Expectation, 'eventType' | 'severity'>;

const expect = (eventTypes: string, group: Group): Expectation[] =>
  eventTypes.split(' ').map((eventType) => ({ eventType, severity: 'warning', ...group }));

const expectations: readonly Expectation[] = [
  {
    eventType: 'detail_pageview',
    severity: 'fault',
    purpose: 'Nothing can be learnt about visitors before it arrives.',
  },
  ...expect('item_interaction', { purpose: learning }),
  ...expect('group_interaction group_pageview', { purpose: learning, family: 'group' }),
  ...expect('purchase add_to_cart remove_from_cart', { purpose: learning, appliesTo: 'goods' }),
  ...expect('checkpoint', { purpose: learning, appliesTo: 'content' }),
  ...expect('impression click_on_recommendation page_visit', { purpose: analysis }),
  ...expect('batch_open batch_impression batch_click_on_recommendation', {
    purpose: analysis,
    family: 'batch',
  }),
  ...expect('session_impression session_click_on_recommendation', { purpose: analysis, family: 'session' }),
  ...expect('search_impression search_click_on_recommendation', { purpose: analysis, family: 'search' }),
];

export const checkMissingTypes: Check = async ({ settings, counts }) => {
  const arrived = new Set(counts.filter(({ byPeople }) => byPeople > 0).map(({ eventType }) => eventType));
  const kinds = kindsOf(settings);
  return expectations
    .filter(({ eventType, appliesTo }) => !arrived.has(eventType) && (!appliesTo || kinds.has(appliesTo)))
    .map((expectation) => findingOf(expectation, arrived));
};

/** Content is consumed by views, goods by purchases. */
function kindsOf({ itemTypes }: EnvironmentSettings): Set<'goods' | 'content'> {
  const isContent = ({ consumedBy }: { consumedBy: ReadonlySet<string> }) =>
    consumedBy.has('checkpoint') || consumedBy.has('detail_pageview');
  return new Set(Array.from(itemTypes.values(), (type) => (isContent(type) ? 'content' : 'goods')));
}

function findingOf(
  { eventType, severity, purpose, family }: Expectation,
  arrived: ReadonlySet<string>,
): Finding {
  const isUsed = !family || [...arrived].some((type) => type.startsWith(`${family}_`));
  return {
    check: 'event_type_missing',
    severity: isUsed ? severity : 'notice',
    subject: eventType,
    count: 0,
    description: `No ${eventType} event arrived. ${purpose}`,
    hint: isUsed
      ? `Send ${eventType} to POST /{environment}/events where it happens.`
      : `Send ${eventType} if you use ${familyNames[family!]}.`,
    examples: [],
  };
}

const familyNames = {
  batch: 'mailings or other batches',
  group: 'pages of groups, such as series or collections',
  search: 'searches',
  session: 'interactive sessions',
};
