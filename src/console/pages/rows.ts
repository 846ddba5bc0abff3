/** Rows of a page as its JSON has them: templates of new ones, and their words. */

import type { Template } from '../configurations/editor/rule-lists.tsx';
import type { Json, JsonObject } from '../grammar/document.ts';
import { keyWords } from '../grammar/words.ts';
import { formatCounted } from '../kit/format.ts';
import { t, textOf } from '../texts/texts.ts';

export const viewedItem = 'viewed_item';

/** Contents of a row: values of `order` and `purpose`; '' for recommendations. */
export const contents: { value: string; label: string }[] = [
  { value: '', label: t('Recommendations') },
  { value: 'trending', label: t('Trending items') },
  { value: 'newest', label: t('Newest items') },
  { value: 'continue', label: t('Continue watching') },
  { value: 'similar', label: t('Similar items') },
];

const orders = ['trending', 'newest'];

export const contentOf = ({ order, purpose }: JsonObject): string => String(order ?? purpose ?? '');

export const withContent = ({ order: _, purpose: __, ...row }: JsonObject, content: string): JsonObject =>
  content === '' ? row : { ...row, [orders.includes(content) ? 'order' : 'purpose']: content };

export const templates: Template<JsonObject>[] = [
  {
    label: t('Recommendations'),
    hint: t('for this visitor'),
    entry: { list_name: 'for-you', title: t('For you') },
  },
  {
    label: t('Trending items'),
    hint: t('clicked and bought most at present'),
    entry: { list_name: 'trending', title: t('Trending'), order: 'trending' },
  },
  {
    label: t('Newest items'),
    hint: t('latest publication first'),
    entry: { list_name: 'new', title: t('New'), order: 'newest' },
  },
  {
    label: t('Because of a viewed item'),
    hint: t('a row per item of the history'),
    entry: {
      ...{
        list_name: 'because',
        title: textOf('Because you viewed {item}').replace('{item}', '{item.title}'),
      },
      ...{ for_each: viewedItem, minimum_items: 3 },
    },
  },
  {
    label: t('Favourite categories'),
    hint: t('a row per category'),
    entry: { list_name: 'categories', title: textOf('Best of {segment}'), for_each: 'categories' },
  },
  {
    label: t('Continue watching'),
    hint: t('unfinished items, next episodes'),
    entry: { list_name: 'continue', title: t('Continue'), purpose: 'continue' },
  },
];

/** Returns a new row with a list name that no other row has. */
export function newRow(template: JsonObject, rows: readonly Json[], configurationId: string): JsonObject {
  const taken = new Set(rows.map((row) => (row as JsonObject | null)?.list_name));
  let name = String(template.list_name);
  for (let number = 2; taken.has(name); number += 1) name = `${template.list_name}-${number}`;
  return { ...template, list_name: name, configuration_id: configurationId };
}

/** Returns the segments that a row is made for each of, e.g. `brand`. */
export const forEachWords = (key: string): string =>
  key === viewedItem ? t('A row per viewed item') : t('A row per {property}', { property: keyWords(key) });

const usualItems = 10;

export function rowTexts(row: JsonObject) {
  const { title, list_name, list_size, pinned, for_each } = row;
  const parts = [
    contents.find(({ value }) => value === contentOf(row))?.label,
    typeof for_each === 'string' && forEachWords(for_each),
    formatCounted(typeof list_size === 'number' ? list_size : usualItems, 'item'),
  ];
  return {
    badge: typeof pinned === 'number' ? t('Position {pinned}', { pinned }) : t('By interest'),
    words: String(title || list_name || ''),
    note: parts.filter(Boolean).join(' · '),
  };
}
