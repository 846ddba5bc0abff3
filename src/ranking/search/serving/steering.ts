/** Selects the configurations that steer a search. */
import type { SearchConfiguration } from '../../rules/active-configuration.ts';
import type { SearchWhen } from '../../rules/search-rules.ts';
import { compileTest, type TypedQuery } from './query-tests.ts';

/** Further matching configurations, by priority, are ignored. */
const mostSteering = 20;

/** Values that conditions test. */
export type SteeringContext = {
  /** The typed query, and its correction. */
  queries: readonly TypedQuery[];
  pageType: string;
  /** BCP 47. */
  language: string;
  /** Category paths that results are limited to. */
  categories: readonly string[];
  isInAudience(audienceId: string): boolean;
};

export type Steer = {
  configuration: SearchConfiguration;
  /** The conditions that held. */
  reasons: string[];
};

/** Returns the reason why it holds; undefined when it does not. */
type Condition = (request: SteeringContext) => string | undefined;

export type Steering = ReturnType<typeof createSteering>;

export function createSteering(configurations: readonly SearchConfiguration[], environment: string) {
  const compiled = configurations
    .filter(({ search: { environments } }) => environments.length === 0 || environments.includes(environment))
    .sort(byPriority)
    .map((configuration) => ({ configuration, conditions: compile(configuration.search.when) }));

  return {
    /** Returns matching configurations in the order of their priority. */
    of(request: SteeringContext): Steer[] {
      const steers: Steer[] = [];
      for (const { configuration, conditions } of compiled) {
        const reasons = reasonsOf(conditions, request);
        if (reasons) steers.push({ configuration, reasons });
        if (steers.length === mostSteering) break;
      }
      return steers;
    },
  };
}

function byPriority(a: SearchConfiguration, b: SearchConfiguration): number {
  const first = a.configurationId < b.configurationId ? -1 : 1;
  return b.search.priority - a.search.priority || first;
}

function reasonsOf(conditions: readonly Condition[], request: SteeringContext): string[] | undefined {
  const reasons: string[] = [];
  for (const condition of conditions) {
    const reason = condition(request);
    if (reason === undefined) return undefined;
    reasons.push(reason);
  }
  return reasons;
}

/** Compiles the conditions, cheap ones first. */
function compile({ queries, categories, pageTypes, languages, audienceIds }: SearchWhen): Condition[] {
  const tests = queries.map((test) => ({ name: `${test.form} ${test.text}`, holds: compileTest(test) }));
  const queryCondition: Condition = (request) => tests.find(({ holds }) => request.queries.some(holds))?.name;
  return [
    ...anyOf('page_type', pageTypes, (pageType, request) => request.pageType === pageType),
    ...anyOf('language', languages, (language, request) => isLanguage(request.language, language)),
    ...(tests.length > 0 ? [queryCondition] : []),
    ...anyOf('category', categories, (path, request) => isWithin(request.categories, path)),
    ...anyOf('audience', audienceIds, (audienceId, request) => request.isInAudience(audienceId)),
  ];
}

/** Returns a condition that holds when one of the values does; none without values. */
function anyOf(
  kind: string,
  values: readonly string[],
  holds: (value: string, request: SteeringContext) => boolean,
): Condition[] {
  if (values.length === 0) return [];
  return [
    (request) => {
      const value = values.find((one) => holds(one, request));
      return value === undefined ? undefined : `${kind} ${value}`;
    },
  ];
}

function isLanguage(spoken: string, wanted: string): boolean {
  const [one, other] = [spoken.toLowerCase(), wanted.toLowerCase()];
  return one === other || one.startsWith(`${other}-`);
}

function isWithin(paths: readonly string[], above: string): boolean {
  return paths.some((path) => path === above || path.startsWith(`${above}/`));
}
