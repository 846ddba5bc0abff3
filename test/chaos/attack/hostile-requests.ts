/** Requests of an anonymous client: as expensive as the contract allows, and beyond. */

import type { Chance } from '../../fuzz/chance.ts';
import { visitorConfiguration } from './visitors.ts';

export type HostileRequest = {
  kind: string;
  method: 'GET' | 'POST';
  /** Below the base URL. */
  path: string;
  /** JSON. */
  body?: string;
  /** Milliseconds until the connection is closed, answered or not. */
  cancelAfterMs?: number;
  /** Milliseconds for which the answer is not read. */
  unreadForMs?: number;
};

type Maker = (chance: Chance, environment: string) => Omit<HostileRequest, 'kind'>;

const word = (chance: Chance, length = 12) =>
  Array.from({ length }, () => 'abcdefghijklmnopqrstuvwxyz'[chance.below(26)]).join('');
const times = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));
const post = (path: string, body: object) => ({ method: 'POST' as const, path, body: JSON.stringify(body) });

const recommend = (chance: Chance, environment: string, request: object) =>
  post(`/${environment}/recommendations/requests`, {
    device_id: word(chance),
    page_type: 'home',
    timeout_ms: 60_000,
    ...request,
  });

const longLists = (chance: Chance, environment: string) =>
  recommend(chance, environment, {
    context_item: `p${chance.below(5_000)}`,
    lists: times(5, (i) => ({
      configuration_id: visitorConfiguration,
      list_name: `l${i}`,
      list_size: 1_000,
      limit: 0,
    })),
  });

const historiesOf = (chance: Chance, count: number) =>
  Object.fromEntries(times(count, (i) => [`h${i}`, times(50, () => ({ id: `${word(chance)}` }))]));

const makers: Record<string, Maker> = {
  'long lists': longLists,
  'lists beyond the limit': (chance, environment) =>
    recommend(chance, environment, {
      lists: times(100, (i) => ({
        configuration_id: visitorConfiguration,
        list_name: `l${i}`,
        list_size: 1_000,
        limit: 0,
      })),
    }),
  'unknown ids': (chance, environment) =>
    recommend(chance, environment, {
      histories: historiesOf(chance, 20),
      lists: [{ configuration_id: visitorConfiguration, list_name: 'l', list_size: 10 }],
    }),
  'unknown ids beyond the limit': (chance, environment) =>
    recommend(chance, environment, {
      histories: historiesOf(chance, 100),
      lists: [{ configuration_id: visitorConfiguration, list_name: 'l', list_size: 10 }],
    }),
  'invented names': (chance, environment) =>
    recommend(chance, environment, {
      lists: times(100, () => ({
        configuration_id: visitorConfiguration,
        list_name: word(chance),
        list_size: 1,
      })),
    }),
  'large variables': (chance, environment) =>
    recommend(chance, environment, {
      lists: [{ configuration_id: visitorConfiguration, list_name: 'l', list_size: 10 }],
      brand: times(20_000, () => word(chance, 4)),
    }),
  'cancelled lists': (chance, environment) => ({
    ...longLists(chance, environment),
    cancelAfterMs: chance.below(300),
  }),
  'unread answers': (chance, environment) => ({
    ...recommend(chance, environment, {
      fields: ['title', 'description'],
      lists: times(5, (i) => ({
        configuration_id: visitorConfiguration,
        list_name: `l${i}`,
        list_size: 1_000,
      })),
    }),
    unreadForMs: 5_000,
  }),
  'grouped searches': (chance, environment) =>
    post(`/${environment}/searches/requests`, {
      q: times(100, () => word(chance, 5)).join(' '),
      page_type: word(chance),
      device_id: word(chance),
      group_by: ['brand'],
      num_lists: 50,
      list_size: 100,
    }),
  'misspelt searches': (chance, environment) =>
    post(`/${environment}/searches/requests`, {
      q: times(10, () => `thng ${word(chance, 7)}`).join(' '),
      page_type: 'search',
      device_id: word(chance),
    }),
  completions: (chance, environment) =>
    post(`/${environment}/searches/completions`, {
      q: times(20, () => word(chance, 8)).join(' '),
      fuzziness: 2,
      device_id: word(chance),
      histories: historiesOf(chance, 20),
    }),
  'broken bodies': (chance, environment) => ({
    method: 'POST',
    path: `/${environment}/recommendations/requests`,
    body: `${'['.repeat(50_000)}${word(chance, 1_000)}`,
  }),
  'unknown lists': (chance, environment) => ({
    method: 'GET',
    path: `/${environment}/recommendations/lists?list_key=${word(chance, 40)}&offset=1&limit=1000`,
  }),
};

export const hostileKinds = Object.keys(makers);

export function makeHostileRequest(chance: Chance, kind: string, environment: string): HostileRequest {
  return { kind, ...makers[kind](chance, environment) };
}
