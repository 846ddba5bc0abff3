/** Merges two changes of a rule set, part by part. A part that only one side has changed is taken from it. */

import { type Change, diffDocuments } from '../../formats/diff.ts';
import { type Document, isObject, type Json, type JsonObject } from './document.ts';

export type Side = 'mine' | 'theirs';

export type Part = {
  /** Name of a member; those of `search` begin with `search.`, and `limits` are the diversity limits. */
  name: string;
  /** The side that changed it; undefined if both did, differently. */
  side?: Side;
  changes: Record<Side, Change[]>;
};

const isLimit = (rule: Json): boolean => isObject(rule) && rule.diversify !== undefined;

/** Minimums take precedence in their order; limits have none, so they can be told apart. */
function splitParts(document: Document): Map<string, Json> {
  const { constraints, search, ...others } = document;
  const parts = new Map<string, Json>(Object.entries(others));
  if (Array.isArray(constraints)) {
    parts.set(
      'constraints',
      constraints.filter((rule) => !isLimit(rule)),
    );
    parts.set('limits', constraints.filter(isLimit));
  } else if (constraints !== undefined) parts.set('constraints', constraints);
  if (isObject(search)) {
    parts.set('search', {});
    for (const [name, value] of Object.entries(search)) parts.set(`search.${name}`, value);
  } else if (search !== undefined) parts.set('search', search);
  return parts;
}

/** Returns the parts that at least one side has changed since `base`. */
export function partsOf(base: Document, mine: Document, theirs: Document): Part[] {
  const [from, own, other] = [base, mine, theirs].map(splitParts);
  const names = new Set([...own.keys(), ...other.keys(), ...from.keys()]);
  return [...names].flatMap((name): Part[] => {
    const only = (parts: Map<string, Json>) => (parts.has(name) ? { [name]: parts.get(name) } : {});
    const compare = (a: Map<string, Json>, b: Map<string, Json>) => diffDocuments(only(a), only(b));
    const changes = { mine: compare(from, own), theirs: compare(from, other) };
    if (changes.mine.length + changes.theirs.length === 0) return [];
    const isSame = compare(own, other).length === 0;
    if (isSame || changes.mine.length === 0) return [{ name, side: 'theirs', changes }];
    return [{ name, side: changes.theirs.length === 0 ? 'mine' : undefined, changes }];
  });
}

/** Returns their document with the parts that come from mine. */
export function mergeParts(mine: Document, theirs: Document, isMine: (name: string) => boolean): Document {
  const [own, other] = [mine, theirs].map(splitParts);
  const merged: JsonObject = {};
  const search: JsonObject = {};
  for (const name of new Set([...other.keys(), ...own.keys()])) {
    const value = (isMine(name) ? own : other).get(name);
    if (value === undefined) continue;
    if (name.startsWith('search.')) search[name.slice('search.'.length)] = value;
    else if (name !== 'limits') merged[name] = value;
  }
  const takesOneSide = isMine('constraints') === isMine('limits');
  const rules = (isMine('constraints') ? mine : theirs).constraints;
  const limits = (isMine('limits') ? own : other).get('limits');
  if (takesOneSide) {
    if (rules !== undefined) merged.constraints = rules;
  } else if (Array.isArray(merged.constraints ?? []) && Array.isArray(limits))
    merged.constraints = [...((merged.constraints as Json[] | undefined) ?? []), ...limits];
  if (Object.keys(search).length > 0) merged.search = search;
  return merged;
}
