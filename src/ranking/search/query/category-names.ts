/** Queries that are the name of a category, in another inflection or by a synonym: its items come first. */
import type { Catalog } from '../../catalog/catalog.ts';
import type { ValueKey } from '../../catalog/typed-columns.ts';
import { tokensOf } from '../analysis/analyser.ts';
import type { TextIndex } from '../index/index.ts';
import type { Alternative, Slot } from '../slot.ts';

const mostWords = 4;
const naming: ReadonlySet<Alternative['kind']> = new Set(['word', 'joined', 'split', 'synonym']);

export function createCategoryNames({ words, analyserOf }: TextIndex, catalog: Catalog) {
  const column = catalog.column('categories')!;
  const coded = column.coded!;
  const keys: ValueKey[] = [];
  /** By code: the path whose names were read. */
  const read: (string | undefined)[] = [];
  const pathsByName = new Map<string, Set<string>>();
  let position = -1;

  /** Returns the terms of the last segment of a path, in each language; none while the index lacks one. */
  const namesOf = (path: string): string[] =>
    words.languages
      .map((language) => {
        const { termOf, isStopWord } = analyserOf(language);
        const tokens = tokensOf(path.slice(path.lastIndexOf('/') + 1), mostWords + 1);
        const telling = tokens.filter(({ text }) => !isStopWord(text));
        return telling.map(({ text }) => words.findTerm(termOf(text)));
      })
      .filter((terms) => terms.length > 0 && terms.length <= mostWords && !terms.includes(-1))
      .map((terms) => terms.join(' '));

  const catchUp = (): void => {
    if (position === catalog.changes.position) return;
    position = catalog.changes.position;
    for (let code = 0; code < coded.codeLimit; code++) {
      const path = coded.valueOf(code) as string | undefined;
      if (path === read[code]) continue;
      const names = path === undefined ? [] : namesOf(path);
      read[code] = names.length > 0 ? path : undefined;
      for (const name of names) pathsByName.set(name, (pathsByName.get(name) ?? new Set()).add(path!));
    }
  };

  /** Returns the names that a query may mean: its words, or one alternative of all of them. */
  const askedNames = (slots: readonly Slot[]): string[] => {
    const [first, ...others] = slots.map(({ alternatives }) =>
      alternatives.filter(({ kind }) => naming.has(kind)),
    );
    const nameOf = ({ terms }: Alternative): string => terms.join(' ');
    const shared = first
      .map(nameOf)
      .filter((name) => others.every((one) => one.some((other) => nameOf(other) === name)));
    const typed = [first, ...others].map(([best]) => best);
    return typed.includes(undefined as never) ? shared : [...shared, typed.map(nameOf).join(' ')];
  };

  return {
    /**
     * Returns tests for the items of the categories that a query names: those in them, then those
     * below them too; none when it names no category.
     */
    testsOf(slots: readonly Slot[]): readonly ((itemIndex: number) => boolean)[] {
      if (slots.length === 0 || slots.length > mostWords) return [];
      catchUp();
      const paths = new Set(askedNames(slots).flatMap((name) => [...(pathsByName.get(name) ?? [])]));
      if (paths.size === 0) return [];
      const codes = new Set([...paths].map((path) => column.keyOf!(path)));
      const isIn = (itemIndex: number): boolean => {
        for (let i = column.valueKeysAt(itemIndex, keys) - 1; i >= 0; i--)
          if (codes.has(keys[i])) return true;
        return false;
      };
      return [isIn, column.matcher({ oneOf: [...paths] })];
    },
  };
}
