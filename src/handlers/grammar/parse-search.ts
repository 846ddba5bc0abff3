/** Parses and checks the search part of a configuration message. */

import type {
  Configuration,
  SearchQueryTest,
  SearchRules as SearchRulesMessage,
} from '../../../gen/es/personalisation/v1/configuration_pb.js';
import type { Violation } from '../../errors.ts';
import type { QueryTest, SearchRules } from '../../ranking/rules/search-rules.ts';
import { queriesOf, type Configuration as Rules } from '../../ranking/rules/types.ts';

const usualPlaces = 10;
const mostPatternWords = 32;
const longestContent = 4_096;

/** Search request fields available as variables; all other variables need a default. */
const searchVariables: ReadonlySet<string> = new Set(['q', 'page_type', 'device_id']);

/** Returns undefined for a configuration of lists. */
export function parseSearch(message: Configuration): SearchRules | undefined {
  const { search } = message;
  if (!search) return undefined;
  const { when, priority = 0, places = usualPlaces, redirect } = search;
  return {
    environments: environmentsOf(message),
    when: {
      queries: when?.queries.map(readTest) ?? [],
      categories: when?.categories ?? [],
      pageTypes: when?.pageTypes ?? [],
      languages: when?.languages ?? [],
      audienceIds: when?.audienceIds ?? [],
    },
    priority,
    places,
    pins: search.pins.map(({ itemId, itemType, rank }) => ({ itemId, itemType, rank })),
    hides: search.hides.map(({ itemId, itemType }) => ({ itemId, itemType })),
    redirect,
    promotedContent: search.promotedContent,
  };
}

/** Environments that a configuration of searches applies to: those that it belongs to and names. */
function environmentsOf({ environments, search }: Configuration): string[] {
  const named = search!.environments;
  if (environments.length === 0 || named.length === 0) return [...environments, ...named];
  return named.filter((name) => environments.includes(name));
}

function readTest({ exact, contains, pattern }: SearchQueryTest): QueryTest {
  if (exact !== undefined) return { form: 'exact', text: exact };
  if (contains !== undefined) return { form: 'contains', text: contains };
  return { form: 'pattern', text: pattern ?? '' };
}

/** Checks what message types cannot express. */
export function checkSearch(
  message: Configuration,
  rules: Rules,
  environments: ReadonlySet<string>,
): Violation[] {
  const { search } = message;
  const unknown = namesOf(message.environments, '/environments', environments);
  if (!search) return [...unknown, ...checkItems(message, '')];
  const isNowhere = environmentsOf(message).length === 0 && search.environments.length > 0;
  const detail = 'Must name one of `environments`.';
  return [
    ...unknown,
    ...(isNowhere ? [{ pointer: '/search/environments', detail }] : []),
    ...checkSettings(message),
    ...checkVariables(rules),
    ...namesOf(search.environments, '/search/environments', environments),
    ...(search.when?.queries ?? []).flatMap((test, i) => checkTest(test, `/search/when/queries/${i}`)),
    ...checkItems(search, '/search'),
    ...checkShown(search),
  ];
}

const namesOf = (names: readonly string[], pointer: string, known: ReadonlySet<string>): Violation[] =>
  names.flatMap((name, i) =>
    known.has(name) ? [] : [{ pointer: `${pointer}/${i}`, detail: 'Is not an environment.' }],
  );

function checkSettings(message: Configuration): Violation[] {
  const { freshness, fatigue, rotation, calibration, exploration, purpose } = message;
  const ofLists = {
    freshness,
    fatigue,
    rotation,
    calibration,
    exploration,
    purpose,
    stock_budget: message.stockBudget,
    allow_duplicates: message.allowDuplicates,
    pins: message.pins[0],
    hides: message.hides[0],
  };
  return Object.entries(ofLists)
    .filter(([, value]) => value !== undefined)
    .map(([name]) => ({ pointer: `/${name}`, detail: 'Is not for a configuration of searches.' }));
}

/** Requires defaults, so that no search fails for a missing variable. */
function checkVariables({ rules, preferences }: Rules): Violation[] {
  const named = (
    queryHolders: readonly (Rules['rules'][number] | Rules['preferences'][number])[],
    pointer: string,
  ): Violation[] =>
    queryHolders.flatMap((holder, i) => {
      const tests = queriesOf(holder).flatMap((query) => query.tests);
      const variables = tests.flatMap((test) =>
        'operands' in test ? test.operands.flatMap((one) => ('variable' in one ? [one.variable] : [])) : [],
      );
      return variables
        .filter(({ name, context, default: usual, onAbsentDrop }) => {
          const isKnown = context === 'request_body' && searchVariables.has(name);
          return !isKnown && usual === undefined && !onAbsentDrop;
        })
        .map(({ name }) => ({
          pointer: `${pointer}/${i}/query`,
          detail: `A search has no variable ${JSON.stringify(name)}; give it a default or on_absent_drop.`,
        }));
    });
  return [...named(rules, '/constraints'), ...named(preferences, '/preferences')];
}

function checkTest({ exact, contains, pattern }: SearchQueryTest, pointer: string): Violation[] {
  const given = [exact, contains, pattern].filter((text) => text !== undefined);
  if (given.length !== 1)
    return [{ pointer, detail: 'Must have exactly one of exact, contains and pattern.' }];
  const [text] = given;
  if (!/[\p{L}\p{N}]/u.test(text)) return [{ pointer, detail: 'Must have a letter or digit.' }];
  if (pattern !== undefined && pattern.trim().split(/\s+/).length > mostPatternWords)
    return [{ pointer: `${pointer}/pattern`, detail: `Must be at most ${mostPatternWords} words.` }];
  return [];
}

/** @param parent Pointer to the message with the pins and hides */
function checkItems(
  { pins, hides }: Pick<SearchRulesMessage, 'pins' | 'hides'>,
  parent: string,
): Violation[] {
  const keyOf = ({ itemId, itemType = '' }: { itemId: string; itemType?: string }) =>
    `${itemType}\n${itemId}`;
  const hidden = new Set(hides.map(keyOf));
  const items = new Set<string>();
  const ranks = new Set<number>();
  return pins.flatMap((pin, i) => {
    const pointer = `${parent}/pins/${i}`;
    const key = keyOf(pin);
    const found: Violation[] = [];
    if (items.has(key)) found.push({ pointer: `${pointer}/item_id`, detail: 'Is pinned already.' });
    if (ranks.has(pin.rank))
      found.push({ pointer: `${pointer}/rank`, detail: 'Is the rank of another pin.' });
    if (hidden.has(key))
      found.push({ pointer: `${pointer}/item_id`, detail: 'Is hidden by the same configuration.' });
    items.add(key);
    ranks.add(pin.rank);
    return found;
  });
}

function checkShown({ redirect, promotedContent }: SearchRulesMessage): Violation[] {
  const violations: Violation[] = promotedContent.flatMap((content, i) =>
    JSON.stringify(content).length <= longestContent
      ? []
      : [
          {
            pointer: `/search/promoted_content/${i}`,
            detail: `Must be at most ${longestContent} characters of JSON.`,
          },
        ],
  );
  const isAddress = redirect === undefined || /^(?:https?:\/\/[^\s/]+|\/(?![/\\]))[^\s\\]*$/i.test(redirect);
  if (!isAddress)
    violations.push({
      pointer: '/search/redirect',
      detail: 'Must be an http or https address, or a path that begins with /.',
    });
  return violations;
}
