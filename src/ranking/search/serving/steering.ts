/** Which configurations steer a search, and why. */
import type { SearchConfiguration } from '../../rules/active-configuration.ts';
import type { SearchWhen } from '../../rules/search-rules.ts';
import { compileTest, type TypedQuery } from './query-tests.ts';

/** Those of a search beyond these, by priority, do nothing. */
const mostSteering = 20;

/** What conditions look at. */
export type SteeredRequest = {
  /** What was typed, and what it was corrected to. */
  queries: readonly TypedQuery[];
  pageType: string;
  /** BCP 47. */
  language: string;
  /** Paths that results are limited to. */
  categories: readonly string[];
  isInAudience(audienceId: string): boolean;
};

export type Steer = {
  configuration: SearchConfiguration;
  /** What held of its conditions; none when it has none. */
  reasons: string[];
};

/** Why it holds; undefined when it does not. */
type Condition = (request: SteeredRequest) => string | undefined;

type Compiled = { configuration: SearchConfiguration; conditions: readonly Condition[] };

export type Steering = {
  /** In the order of their priority. */
  of(request: SteeredRequest): Steer[];
};

export function createSteering(
  configurations: readonly SearchConfiguration[],
  environment: string,
): Steering {
  const compiled = configurations
    .filter(({ search: { environments } }) => environments.length === 0 || environments.includes(environment))
    .sort(byPriority)
    .map((configuration): Compiled => ({ configuration, conditions: compile(configuration.search.when) }));

  return {
    of(request) {
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

function reasonsOf(conditions: readonly Condition[], request: SteeredRequest): string[] | undefined {
  const reasons: string[] = [];
  for (const condition of conditions) {
    const reason = condition(request);
    if (reason === undefined) return undefined;
    reasons.push(reason);
  }
  return reasons;
}

/** The cheap ones first. */
function compile({ queries, categories, pageTypes, languages, audienceIds }: SearchWhen): Condition[] {
  const tests = queries.map((test) => ({ name: `${test.form} ${test.text}`, holds: compileTest(test) }));
  const conditions: [values: readonly unknown[], condition: Condition][] = [
    [pageTypes, ({ pageType }) => (pageTypes.includes(pageType) ? `page_type ${pageType}` : undefined)],
    [
      languages,
      (request) =>
        named(
          'language',
          languages.find((one) => isLanguage(request.language, one)),
        ),
    ],
    [tests, ({ queries: asked }) => tests.find(({ holds }) => asked.some(holds))?.name],
    [
      categories,
      (request) =>
        named(
          'category',
          categories.find((path) => isWithin(request.categories, path)),
        ),
    ],
    [
      audienceIds,
      (request) =>
        named(
          'audience',
          audienceIds.find((id) => request.isInAudience(id)),
        ),
    ],
  ];
  return conditions.filter(([values]) => values.length > 0).map(([, condition]) => condition);
}

const named = (kind: string, value: string | undefined) => value && `${kind} ${value}`;

function isLanguage(spoken: string, wanted: string): boolean {
  const [one, other] = [spoken.toLowerCase(), wanted.toLowerCase()];
  return one === other || one.startsWith(`${other}-`);
}

function isWithin(paths: readonly string[], above: string): boolean {
  return paths.some((path) => path === above || path.startsWith(`${above}/`));
}
