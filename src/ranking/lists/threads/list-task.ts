/** Encodes a list request for a thread: JSON, faster than cloning; variables become values. */

import type { ListEnvironment } from '../../environment/serving-environment.ts';
import type { ActiveConfiguration } from '../../rules/active-configuration.ts';
import type { Configuration } from '../../rules/types.ts';
import { createConfigurationReads } from '../configuration-reads.ts';
import type { ListIngredients } from '../list-ingredients.ts';
import type { ListRequest, RecommendationRequest } from '../recommendation-request.ts';
import type { HistoryMemory, ListHistory } from './histories-told.ts';
import { placeOf } from './list-news.ts';

/** JSON of a TaskBody. */
export type ListTask = string;

type Values = [name: string, value: ReturnType<ListRequest['variables']>][];

/** Makes the compiler reject functions, which JSON drops silently. */
type Plain<T> = { [Key in keyof T]: T[Key] extends (...given: never[]) => unknown ? never : T[Key] };

type TaskBody = Pick<ListIngredients, 'identity' | 'requestId' | 'nowMs'> & {
  request: Plain<Omit<RecommendationRequest, 'lists' | 'body' | 'fields' | 'signal' | 'drafts'>> & {
    lists: (Omit<ListRequest, 'variables'> & { values: Values })[];
  };
  /** Where the thread holds the configuration of each list. */
  places: string[];
  /** The history, unless the thread has cached it; absent if reading failed. */
  history?: { historyId: number; told?: ListHistory };
};

export type TaskContext = {
  numberOf(history: ListHistory): number;
  /** Histories that the thread has cached. */
  remembered: HistoryMemory<object>;
};

export function encodeTask(ingredients: ListIngredients, context: TaskContext): ListTask {
  const { request, identity, active, history, requestId, nowMs } = ingredients;
  const { body: _, fields: __, signal: ___, drafts: ____, lists, ...others } = request;
  const told: TaskBody = {
    request: {
      ...others,
      lists: lists.map(({ variables, ...list }, place) => ({
        ...list,
        values: valuesOf(active[place].rules, variables),
      })),
    },
    identity,
    places: active.map((one, i) => placeOf(lists[i].configurationId, one)),
    history: history && tellHistory(history, context),
    requestId,
    nowMs,
  };
  return JSON.stringify(told);
}

const readsOf = createConfigurationReads();

function valuesOf(rules: Configuration, read: ListRequest['variables']): Values {
  const values: Values = [];
  for (const name of readsOf(rules).names) {
    const value = read(name);
    if (value !== undefined) values.push([name, value]);
  }
  return values;
}

function tellHistory(history: ListHistory, { numberOf, remembered }: TaskContext): TaskBody['history'] {
  const historyId = numberOf(history);
  if (remembered.get(historyId)) return { historyId };
  remembered.set(historyId, history, history);
  const { entries, impressions, consumed } = history;
  return { historyId, told: { entries, impressions, consumed } };
}

export type TaskSurroundings = {
  environmentOf(name: string): ListEnvironment;
  configurationAt(place: string): ActiveConfiguration;
  remembered: HistoryMemory<ListHistory>;
};

export function decodeTask(task: ListTask, surroundings: TaskSurroundings): ListIngredients {
  const { request, history, places, ...others } = JSON.parse(task) as TaskBody;
  return {
    ...others,
    request: { ...request, lists: request.lists.map(listOf) },
    environment: surroundings.environmentOf(request.environment),
    active: places.map(surroundings.configurationAt),
    history: history && recall(history, surroundings.remembered),
  };
}

function listOf({ values, ...list }: TaskBody['request']['lists'][number]): ListRequest {
  const byName = new Map(values);
  return { ...list, variables: (name) => byName.get(name) };
}

function recall(
  { historyId, told }: NonNullable<TaskBody['history']>,
  remembered: HistoryMemory<ListHistory>,
): ListHistory {
  const known = remembered.get(historyId);
  if (known) return known;
  remembered.set(historyId, told!, told!);
  return told!;
}
