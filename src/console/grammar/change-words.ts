/** Differences of two rule sets as sentences. */

import { type Change, diffDocuments } from '../../formats/diff.ts';
import { t } from '../texts/texts.ts';
import { type Document, type Json, readPreference, readRule } from './document.ts';
import { conditionWords, keyWords, limitWords, ruleWords, subjectWords, weightWords } from './words.ts';

/** A rule or preference: what it is about, and its amount, such as `At least 2`. */
type Line = { about: string; amount: string; words: string; note: string };

const listOf = (json: Json | undefined): Json[] => (Array.isArray(json) ? json : []);

function lineOfRule(json: Json): Line {
  const rule = readRule(json);
  const about = `${rule.kind === 'diversify' ? ' ' : ': '}${subjectWords(rule)}`;
  return { about, amount: limitWords(rule), words: ruleWords(rule), note: rule.note };
}

function lineOfPreference(json: Json): Line {
  const { condition, weight, note } = readPreference(json);
  const [about, amount] = [`: ${conditionWords(condition)}`, weightWords(weight)];
  return { about, amount, words: amount + about, note };
}

/** `At least 2 → 4`, `At least 2 → At most 3`. */
function amountChange(before: string, after: string): string {
  const name = /^(.*\D)[\d.]+$/.exec(before)?.[1];
  return `${before} → ${name && after.startsWith(name) ? after.slice(name.length) : after}`;
}

/** Lines about the same are one line that changed. */
function lineChanges(before: Line[], after: Line[]): string[] {
  const left = [...before];
  const changes = after.flatMap((line) => {
    const exact = left.findIndex(({ words, note }) => words === line.words && note === line.note);
    const at = exact >= 0 ? exact : left.findIndex(({ about }) => about === line.about);
    if (at < 0) return [t('Added: {words}', { words: line.words })];
    const [former] = left.splice(at, 1);
    return [
      ...(former.amount === line.amount ? [] : [`${amountChange(former.amount, line.amount)}${line.about}`]),
      ...(former.note === line.note ? [] : [t('Note changed: {words}', { words: line.words })]),
    ];
  });
  const removed = left.map(({ words }) => t('Removed: {words}', { words }));
  const all = [...removed, ...changes];
  const isMoved = all.length === 0 && before.some(({ words }, i) => words !== after[i]?.words);
  return isMoved ? [t('Order changed')] : all;
}

/** Undefined for a value that is too long for a sentence. */
function valueWords(value: unknown): string | undefined {
  const parts = [value].flat();
  return parts.some((part) => typeof part === 'object') ? undefined : parts.join(', ');
}

/** A changed setting, such as `freshness maximum age hours: 24 → 48`. */
function settingWords({ pointer, before, after }: Change): string {
  const steps = pointer.slice(1).split('/');
  const path = steps
    .map((step) => (/^\d+$/.test(step) ? String(Number(step) + 1) : keyWords(step)))
    .join(' ')
    .replaceAll('~1', '/')
    .replaceAll('~0', '~');
  const [from, to] = [before, after].map(valueWords);
  if (before === undefined) return t('Added: {words}', { words: to === undefined ? path : `${path} ${to}` });
  if (after === undefined) return t('Removed: {words}', { words: path });
  return from === undefined || to === undefined
    ? t('Changed: {words}', { words: path })
    : `${path}: ${from} → ${to}`;
}

/** Changes from one version to another; empty if they are the same. */
export function changeWords(before: Document, after: Document): string[] {
  const { constraints: rules, preferences: wishes, ...settings } = before;
  const { constraints, preferences, ...others } = after;
  return [
    ...lineChanges(listOf(rules).map(lineOfRule), listOf(constraints).map(lineOfRule)),
    ...lineChanges(listOf(wishes).map(lineOfPreference), listOf(preferences).map(lineOfPreference)),
    ...diffDocuments(settings, others).map(settingWords),
  ];
}
