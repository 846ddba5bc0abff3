/**
 * Texts and numbers of requests. They come from short lists, so that stored data is overwritten again and again, and growing
 * memory is a leak.
 */

import type { Chance } from './chance.ts';

const numbered = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => `${prefix}${i}`);

/** Realistic values by field name. */
const fitting: Record<string, readonly string[]> = {
  environment: ['shop', 'shop', 'shop', 'shop', 'news'],
  item_type: ['product', 'product', 'article'],
  item_id: numbered('i', 20),
  action_item: numbered('i', 20),
  action_item_type: ['product', 'article'],
  context_item: numbered('i', 20),
  configuration_id: numbered('c', 5),
  device_id: numbered('d', 50),
  user_id: numbered('u', 30),
  event_id: numbered('e', 200),
  request_id: numbered('r', 50),
  list_name: ['for you', 'trending'],
  page_type: ['home', 'detail', 'search'],
  metric: ['events', 'clicks', 'revenue', 'users'],
  q: ['red sofa', 'sofa', 'trial shoes', 'r', 'title 3'],
  key: ['brand', 'price', 'categories', 'title', 'released'],
  language: ['en', 'de', 'nl', 'ja'],
  integration_type: ['email'],
  grant_type: ['client_credentials'],
  origins: ['https://shop.example'],
  scopes: ['events:shop', 'metrics:*'],
  group_by: ['brand', 'categories'],
  orderby: ['start_time', 'value'],
  fields: ['title', 'price'],
};

const words = ['red', 'sofa', 'shoes', 'title 3', 'x', '2024-02-29T12:00:00Z', '10', 'true'];

/** Texts that break programs: https://github.com/minimaxir/big-list-of-naughty-strings is the idea. */
export const strangeTexts = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\ufffe\uffff',
  '🜁🏳️‍🌈'.repeat(20),
  '漢字仮名交じり文',
  'ก็'.repeat(200),
  'İ',
  'ß',
  '\u202e\u200b\ufeff',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  "'; drop table items; --",
  '%00%2e%2e%2f',
  '../../etc/passwd',
  '{{7*7}}',
  '$1::text',
  '\\N\t\\.',
  '-0',
  '1e309',
  'NaN',
  '9007199254740993',
  '2024-02-30T25:61:61Z',
  '9999-12-31T23:59:59.999999999+23:59',
  'now-999999999999h',
  'x'.repeat(65),
  'x'.repeat(2_000),
  'ab '.repeat(10_000),
  '('.repeat(500),
  `${'a'.repeat(30)}!`,
  '*.*',
  '"',
];

const strangeNumbers = [0, -1, 1, -0.5, 2 ** 31 - 1, 2 ** 31, -(2 ** 31), 2 ** 53, -(2 ** 53), 1e-320, 1e308];

/** @param strangeness Probability of an unrealistic value, 0 to 1. */
export function textOf(chance: Chance, name: string, strangeness: number): string {
  if (chance.happens(strangeness)) return chance.pick(strangeTexts);
  return chance.pick(fitting[name] ?? words);
}

export function numberOf(
  chance: Chance,
  { minimum = 0, maximum = minimum + 20 }: { minimum?: number; maximum?: number },
  strangeness: number,
): number {
  if (chance.happens(strangeness)) return chance.pick(strangeNumbers);
  return Math.floor(minimum + chance.next() * Math.min(20, maximum - minimum));
}
