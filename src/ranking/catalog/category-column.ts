/**
 * Categories: paths from general to specific (`Food/Cheese/Goat`).
 *
 * An item's codes are its most specific paths, which diversity counts; ancestors of another path of
 * the item are left out. Each path knows its parent. A condition on a path walks up from the item's
 * paths, so that it matches the path and its descendants.
 */
import { createCache, textBytes } from '../runtime/cache.ts';
import { type CodeSets, codesInto, createCodeSets, someCode } from './code-sets.ts';
import { createDictionary } from './dictionary.ts';
import { grown } from './growth.ts';
import { memoised, type Value, type WritableColumn } from './typed-columns.ts';

/** Levels of a path; deeper ones are dropped, so that ancestors stay few. */
const maxDepth = 16;

/** Normalises a slash path by Unicode (NFC), trims its segments and drops empty ones; undefined when no segment is left. */
export function normalisePath(path: string): string | undefined {
  const segments = path
    .normalize()
    .split('/', maxDepth * 4)
    .map((segment) => segment.trim());
  const kept = segments.filter((segment) => segment !== '').slice(0, maxDepth);
  return kept.length > 0 ? kept.join('/') : undefined;
}

/** Paths repeat from item to item, and a lookup is cheaper than splitting. */
const normalisedPaths = createCache<string>({
  maxBytes: 4 * 1024 * 1024,
  bytesOf: (path) => textBytes(path),
});

function knownNormalised(path: string): string | undefined {
  const known = normalisedPaths.get(path);
  if (known !== undefined) return known;
  const normalised = normalisePath(path);
  if (normalised !== undefined) normalisedPaths.set(path, normalised);
  return normalised;
}

/**
 * Normalises a slash path, or a list from general to specific. A slash inside a name of a list
 * becomes `∕` (U+2215).
 */
function pathOf(category: unknown): string | undefined {
  const text = Array.isArray(category) ? joinNames(category) : category;
  return typeof text === 'string' ? knownNormalised(text) : undefined;
}

/** Joins the names of a path; other values are left out. */
function joinNames(names: readonly unknown[]): string {
  return names.flatMap((name) => (typeof name === 'string' ? name.replaceAll('/', '∕') : [])).join('/');
}

/**
 * Returns the most specific paths of any documented form: flat strings, slash paths, or lists from
 * general to specific.
 */
export function categoryPaths(categories: unknown): string[] {
  if (!Array.isArray(categories) || categories.length === 1) {
    const path = pathOf(Array.isArray(categories) ? categories[0] : categories);
    return path === undefined ? [] : [path];
  }
  const paths = new Set<string>();
  const ancestors = new Set<string>();
  for (const category of categories) {
    const path = pathOf(category);
    if (path === undefined) continue;
    paths.add(path);
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1))
      ancestors.add(path.slice(0, end));
  }
  return [...paths].filter((path) => !ancestors.has(path));
}

type PathDictionary = ReturnType<typeof createPathDictionary>;

function createPathDictionary() {
  const dictionary = createDictionary<string>();
  let parents = new Int32Array(0);

  const retain = (path: string): number => {
    const isNew = dictionary.codeOf(path) < 0;
    const code = dictionary.retain(path);
    if (!isNew) return code;
    parents = grown(parents, dictionary.codeLimit, -1);
    const slash = path.lastIndexOf('/');
    parents[code] = slash < 0 ? -1 : retain(path.slice(0, slash));
    return code;
  };

  const release = (code: number): void => {
    const parent = parents[code];
    if (dictionary.release(code) && parent >= 0) release(parent);
  };

  return {
    ...dictionary,
    codeLimit: () => dictionary.codeLimit,
    retain,
    release,
    parentOf: (code: number) => parents[code],
  };
}

/** Finds paths that are written alike with `/` for the slash inside a name. */
function withSlashes(paths: PathDictionary, wanted: string): number[] {
  const codes = Array.from({ length: paths.codeLimit() }, (_, code) => code);
  return codes.filter((code) => paths.valueOf(code)?.replaceAll('∕', '/') === wanted);
}

/** Returns a test whether a path is one of the wanted ones, or below one. */
function acceptsBelow(paths: PathDictionary, wanted: readonly Value[]): (code: number) => boolean {
  const targets = new Set<number>();
  for (const value of wanted) {
    const path = typeof value === 'string' ? normalisePath(value) : undefined;
    const code = path === undefined ? -1 : paths.codeOf(path);
    if (code >= 0) targets.add(code);
    else if (path?.includes('/')) for (const one of withSlashes(paths, path)) targets.add(one);
  }
  return (code) => {
    for (let at = code; at >= 0; at = paths.parentOf(at)) if (targets.has(at)) return true;
    return false;
  };
}

type PathCount = {
  paths: PathDictionary;
  sets: CodeSets;
  items: Int32Array;
  itemCount: number;
  counts: Int32Array;
};

/** Counts each item once for its paths and their ancestors; sums items of one path first. */
function countPaths({ paths, sets, items, itemCount, counts }: PathCount): void {
  const alone = new Int32Array(paths.codeLimit());
  const others = new Int32Array(itemCount);
  const otherCount = sets.countSingle(items, itemCount, alone, others);
  const stamps = new Int32Array(paths.codeLimit());
  for (let i = 0; i < otherCount; i++)
    for (let place = sets.count(others[i]) - 1; place >= 0; place--)
      for (let at = sets.at(others[i], place); at >= 0 && stamps[at] !== i + 1; at = paths.parentOf(at)) {
        stamps[at] = i + 1;
        counts[at] += 1;
      }
  for (let code = 0; code < alone.length; code++)
    for (let at = alone[code] > 0 ? code : -1; at >= 0; at = paths.parentOf(at)) counts[at] += alone[code];
}

export function createCategoryColumn(): WritableColumn {
  const paths = createPathDictionary();
  const sets = createCodeSets();
  return {
    write(itemIndex, value) {
      const codes = categoryPaths(value).map(paths.retain);
      for (let place = sets.count(itemIndex) - 1; place >= 0; place--)
        paths.release(sets.at(itemIndex, place));
      sets.replace(itemIndex, codes);
    },
    matcher({ oneOf, text }) {
      if (!oneOf && !text) return () => false;
      const below = oneOf ? acceptsBelow(paths, oneOf) : (code: number) => text!(paths.valueOf(code));
      const accepts = memoised(paths.codeLimit(), below);
      return (itemIndex) => someCode(sets, itemIndex, accepts);
    },
    valuesAt: (itemIndex) =>
      Array.from({ length: sets.count(itemIndex) }, (_, place) => paths.valueOf(sets.at(itemIndex, place))),
    keyOf(value) {
      const code = paths.codeOf(String(value).normalize());
      return code < 0 ? undefined : code;
    },
    hasLevels: true,
    coded: {
      get codeLimit() {
        return paths.codeLimit();
      },
      countInto: (items, itemCount, counts) => countPaths({ paths, sets, items, itemCount, counts }),
      codesAt(itemIndex, codes) {
        let length = 0;
        for (let place = sets.count(itemIndex) - 1; place >= 0; place--)
          for (let at = sets.at(itemIndex, place); at >= 0; at = paths.parentOf(at)) codes[length++] = at;
        return length;
      },
      valueOf: paths.valueOf,
    },
    valueKeysAt: (itemIndex, keys) => codesInto(sets, itemIndex, keys),
  };
}
