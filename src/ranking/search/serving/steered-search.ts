/** Searches as the active configurations want; without a matching configuration, a plain search. */
import type { ServingEnvironment } from '../../environment/serving-environment.ts';
import { buryValues, type Feedback, noValues } from '../../lists/person/feedback.ts';
import type { ActiveConfiguration, SearchConfiguration } from '../../rules/active-configuration.ts';
import type { Scalar } from '../../rules/types.ts';
import { memoizeByObject } from '../../runtime/cache.ts';
import type { SearchRequest as IndexRequest, SearchResult } from '../search.ts';
import type { Draft } from './arrangement.ts';
import { compileTest, type TypedQuery, typedQuery } from './query-tests.ts';
import type { SearchRequest } from './served-search.ts';
import { createSteeredResults, type SteeredFacts } from './steered-results.ts';
import { createSteering, type Steering, type SteeringContext } from './steering.ts';

export type SteeredSearchOptions = {
  /** Returns the active configurations; the same array while they are the same. */
  configurations(): readonly SearchConfiguration[];
  isInAudience(
    request: Pick<SearchRequest, 'environment' | 'deviceId' | 'userId'>,
    audienceId: string,
  ): boolean;
};

/** The parts of a request that steer it, and values that the subject wants less of [none]. */
export type Steerable = Pick<
  SearchRequest,
  'environment' | 'deviceId' | 'userId' | 'q' | 'pageType' | 'language' | 'filters' | 'refinement' | 'drafts'
> & { lessOf?: Feedback['lessOf'] };

/** Facts are present when a configuration or the subject's choices steer the search. */
export type SteerableResult = { result: SearchResult; facts?: SteeredFacts };

export type SteerSearch = (
  request: Steerable,
  environment: ServingEnvironment,
  asked: Omit<IndexRequest, 'admits'>,
  draft?: Draft,
) => SteerableResult;

export function createSteeredSearch({ configurations, isInAudience }: SteeredSearchOptions): SteerSearch {
  const makeResult = createSteeredResults();
  const compiled = new Map<string, (present: readonly SearchConfiguration[]) => Steering>();
  const replaced = memoizeByObject((inForce: readonly SearchConfiguration[]) =>
    memoizeByObject((drafts: Drafts) => withDrafts(inForce, drafts)),
  );

  const configurationsFor = (drafts: Drafts | undefined): readonly SearchConfiguration[] =>
    drafts?.size ? replaced(configurations())(drafts) : configurations();

  const steeringOf = (environment: string, present: readonly SearchConfiguration[]): Steering => {
    const compile = compiled.get(environment) ?? memoizeByObject((all) => createSteering(all, environment));
    compiled.set(environment, compile);
    return compile(present);
  };

  return (request, environment, asked, draft) => {
    const present = configurationsFor(request.drafts);
    if (present.length === 0 && !draft && !request.lessOf?.size)
      return { result: environment.searchIndex.search(asked) };
    const steering = steeringOf(request.environment, present);
    const about = steeredRequest(request, environment, (id) => isInAudience(request, id));
    const run = (queries: string[]): SteerableResult => {
      const typed = queries.map(typedQuery);
      const steers = steering.of({ ...about, queries: typed });
      const buried = buryValues(unnamedOf(request, typed), environment.catalog, asked.nowMs);
      return steers.length === 0 && buried.length === 0 && !draft
        ? { result: environment.searchIndex.search(asked) }
        : makeResult({ environment, asked, steers, buried, variables: variablesOf(request), draft });
    };
    const first = run([request.q]);
    const { correctedQuery } = first.result;
    return correctedQuery === undefined ? first : run([request.q, correctedQuery]);
  };
}

/** Returns the unwanted values without those that the query names; a category by its last level. */
function unnamedOf({ lessOf = noValues }: Steerable, queries: readonly TypedQuery[]): Feedback['lessOf'] {
  const isUnnamed = (value: string): boolean =>
    !queries.some(compileTest({ form: 'contains', text: value.split('/').at(-1)! }));
  const unnamed = Array.from(lessOf, ([key, values]) => [key, values.filter(isUnnamed)] as const);
  return new Map(unnamed.filter(([, values]) => values.length > 0));
}

type Drafts = ReadonlyMap<string, ActiveConfiguration>;

export type { SteeredFacts };

function withDrafts(inForce: readonly SearchConfiguration[], drafts: Drafts): SearchConfiguration[] {
  const others = inForce.filter(({ configurationId }) => !drafts.has(configurationId));
  const steering = Array.from(drafts, ([configurationId, draft]) =>
    draft.search ? [{ ...draft, configurationId, search: draft.search }] : [],
  );
  return [...others, ...steering.flat()];
}

function steeredRequest(
  { pageType = '', language, filters, refinement }: Steerable,
  { settings }: ServingEnvironment,
  isInAudience: SteeringContext['isInAudience'],
): Omit<SteeringContext, 'queries'> {
  const limited = [
    ...filters.filter(({ field }) => field === 'categories'),
    ...(refinement?.filters ?? []).filter(({ key }) => key === 'categories'),
  ];
  return {
    pageType,
    language: language ?? settings.defaultLanguage,
    categories: limited.flatMap(({ values }) => values.map(String)),
    isInAudience,
  };
}

/** The variables that a configuration may use without a default. */
function variablesOf({ q, pageType, deviceId }: Steerable): ReadonlyMap<string, Scalar> {
  const given: [string, string | undefined][] = [
    ['q', q],
    ['page_type', pageType],
    ['device_id', deviceId ?? ''],
  ];
  return new Map(given.filter((entry): entry is [string, string] => entry[1] !== undefined));
}
