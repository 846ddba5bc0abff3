/** What a new rule or preference begins with. */

import type { Condition, Preference, Rule } from '../../grammar/document.ts';

const nothing: Condition = { key: '', tests: [] };

type RuleTemplate = { label: string; hint: string; rule: Rule };

export const ruleTemplates: RuleTemplate[] = [
  {
    label: 'Only items that …',
    hint: 'e.g. only what is in stock',
    rule: { kind: 'constraint', condition: nothing, note: '' },
  },
  {
    label: 'At least …',
    hint: 'e.g. at least 2 of our own brand',
    rule: { kind: 'constraint', condition: nothing, min: 2, note: '' },
  },
  {
    label: 'At most …',
    hint: 'e.g. at most 4 products',
    rule: { kind: 'constraint', condition: nothing, max: 3, note: '' },
  },
  {
    label: 'Not too many of the same …',
    hint: 'e.g. at most 3 of one category',
    rule: { kind: 'diversify', key: 'categories', max: 3, note: '' },
  },
  {
    label: 'None that …',
    hint: 'e.g. none of a category',
    rule: { kind: 'constraint', condition: nothing, max: 0, note: '' },
  },
];

type PreferenceTemplate = { label: string; hint: string; preference: Preference };

export const preferenceTemplates: PreferenceTemplate[] = [
  {
    label: 'Prefer new',
    hint: 'published in the last 7 days',
    preference: {
      condition: { key: 'publication_datetime', tests: [{ kind: 'date_range', min: 'now-7d' }] },
      weight: 1,
      note: '',
    },
  },
  {
    label: 'Prefer items that …',
    hint: 'e.g. of a brand, or below a price',
    preference: { condition: nothing, weight: 1, note: '' },
  },
  {
    label: 'Rather not items that …',
    hint: 'they come last',
    preference: { condition: nothing, weight: -1, note: '' },
  },
];
