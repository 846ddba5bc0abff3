/**
 * One column per key of conditions: stores the values of all items, and turns a test on values into
 * a test on items.
 *
 * The condition language is in `rules`; a column knows only its storage. A test has a part per type
 * of value, and a column uses the part for its own type: values of other types never match.
 */
import { instantText, parseInstant } from '../runtime/instants.ts';
import { type CodedValues, codesInto, createCodeSets, someCode, type Value } from './code-sets.ts';
import { createDictionary } from './dictionary.ts';
import { grown } from './growth.ts';
import { createFloatCells, createNumberCodes, type FloatCells } from './number-cells.ts';

export type { CodedValues, Value } from './code-sets.ts';

/** Identifies a value within a column: a code, a number or a text. */
export type ValueKey = string | number;

/** Valid until the catalogue's next write. */
export type Matcher = (itemIndex: number) => boolean;

/** One test on a single value. An item passes when any of its values does. */
export type ValueTest = {
  /** Equality: the value is one of these. */
  oneOf?: readonly Value[];
  text?: (value: string) => boolean;
  number?: (value: number) => boolean;
  instant?: (instantMs: number) => boolean;
};

export type Column = {
  matcher(test: ValueTest): Matcher;
  /** Returns the item's values as the interface shows them; empty when the key is absent. */
  valuesAt(itemIndex: number): Value[];
  /** Writes the keys of the item's distinct values into `keys`; returns their number. */
  valueKeysAt(itemIndex: number, keys: ValueKey[]): number;
  /** Returns the key of a value, if any item has it; absent where keys depend on items. */
  keyOf?(value: Value): ValueKey | undefined;
  /** Present when values can be counted by code. */
  readonly coded?: CodedValues;
  /** Returns the number, or the instant in milliseconds; NaN when the key is absent. */
  numberAt?(itemIndex: number): number;
  /** Whether a test on a value also accepts values below it. */
  hasLevels?: true;
};

/** A column that the catalogue fills from documents; a value of another kind counts as absent. */
export type WritableColumn = Column & { write(itemIndex: number, value: unknown): void };

const never: Matcher = () => false;

const none: readonly never[] = [];

/** Returns a scalar, or the distinct scalars of an array; empty for everything else. */
export function distinctValues(value: unknown): Value[] {
  if (!Array.isArray(value)) return isValue(value) ? [value] : [];
  return [...new Set(value.filter(isValue))];
}

/** One sequence of code points for texts that look alike, such as é and e with an accent. */
function normalised<V>(value: V): V {
  return (typeof value === 'string' ? value.normalize() : value) as V;
}

function distinctStrings(values: readonly unknown[]): string[] {
  const strings = values.filter((one) => typeof one === 'string').map(normalised);
  return strings.length > 1 ? [...new Set(strings)] : strings;
}

function isValue(one: unknown): one is Value {
  return typeof one === 'string' || typeof one === 'number' || typeof one === 'boolean';
}

/** Caches a test's result per code, since many items share a value. */
export function memoised(codeLimit: number, test: (code: number) => boolean): (code: number) => boolean {
  const answers = new Int8Array(codeLimit);
  return (code) => {
    if (answers[code] === 0) answers[code] = test(code) ? 1 : -1;
    return answers[code] > 0;
  };
}

/** Strings that many items share (brand, language, tags), one or several per item. */
export function createStringColumn(): WritableColumn {
  const dictionary = createDictionary<string>();
  const sets = createCodeSets();
  /** Reused for items with one string, the majority. */
  const single = [-1];
  const retainAll = (value: unknown): readonly number[] => {
    if (typeof value === 'string') {
      single[0] = dictionary.retain(normalised(value));
      return single;
    }
    return Array.isArray(value) && value.length > 0 ? distinctStrings(value).map(dictionary.retain) : none;
  };

  const codesAt = (itemIndex: number, keys: ValueKey[]): number => codesInto(sets, itemIndex, keys);
  const matchCodes =
    (accepts: (code: number) => boolean): Matcher =>
    (itemIndex) =>
      someCode(sets, itemIndex, accepts);

  return {
    write(itemIndex, value) {
      const codes = retainAll(value);
      for (let place = sets.count(itemIndex) - 1; place >= 0; place--)
        dictionary.release(sets.at(itemIndex, place));
      sets.replace(itemIndex, codes);
    },
    matcher(test) {
      if (test.oneOf) {
        const codes = new Set(
          test.oneOf.map((one) => dictionary.codeOf(normalised(one as string))).filter((code) => code >= 0),
        );
        const [first] = codes;
        if (codes.size === 0) return never;
        return codes.size === 1
          ? matchCodes((code) => code === first)
          : matchCodes((code) => codes.has(code));
      }
      const { text } = test;
      return text
        ? matchCodes(memoised(dictionary.codeLimit, (code) => text(dictionary.valueOf(code))))
        : never;
    },
    valuesAt: (itemIndex) =>
      Array.from({ length: sets.count(itemIndex) }, (_, place) =>
        dictionary.valueOf(sets.at(itemIndex, place)),
      ),
    valueKeysAt: codesAt,
    keyOf(value) {
      const code = dictionary.codeOf(normalised(value as string));
      return code < 0 ? undefined : code;
    },
    coded: {
      get codeLimit() {
        return dictionary.codeLimit;
      },
      countInto: sets.countInto,
      codesAt,
      valueOf: dictionary.valueOf,
    },
  };
}

/**
 * Texts that are nearly all different (title, description, uri, item ID), stored without a
 * dictionary, which would cost more than it saves. A test reads every text; match sets make that
 * rare.
 */
export function createTextColumn(): WritableColumn & { at(itemIndex: number): string | undefined } {
  const texts: (string | undefined)[] = [];
  return {
    at: (itemIndex) => texts[itemIndex],
    write(itemIndex, value) {
      texts[itemIndex] = typeof value === 'string' ? value : undefined;
    },
    matcher(test) {
      const wanted = test.oneOf && new Set<unknown>(test.oneOf.map(normalised));
      const accepts = wanted ? (text: string) => wanted.has(normalised(text)) : test.text;
      if (!accepts) return never;
      return (itemIndex) => {
        const text = texts[itemIndex];
        return text !== undefined && accepts(text);
      };
    },
    valuesAt: (itemIndex) => distinctValues(texts[itemIndex]),
    valueKeysAt(itemIndex, keys) {
      const text = texts[itemIndex];
      if (text === undefined) return 0;
      keys[0] = text;
      return 1;
    },
  };
}

function floatKeyAt(cells: FloatCells, itemIndex: number, keys: ValueKey[]): number {
  const value = cells.at(itemIndex);
  if (Number.isNaN(value)) return 0;
  keys[0] = value;
  return 1;
}

export function createNumberColumn(): WritableColumn {
  const cells = createFloatCells();
  const codes = createNumberCodes(cells);
  return {
    coded: codes,
    write(itemIndex, value) {
      cells.write(itemIndex, typeof value === 'number' ? value : Number.NaN);
      codes.note(itemIndex);
    },
    matcher({ oneOf, number }) {
      const wanted = oneOf && new Set<Value>(oneOf);
      const accepts = wanted ? (value: number) => wanted.has(value) && !Number.isNaN(value) : number;
      return accepts ? (itemIndex) => accepts(cells.at(itemIndex)) : never;
    },
    valuesAt: (itemIndex) => [cells.at(itemIndex)].filter((value) => !Number.isNaN(value)),
    valueKeysAt: (itemIndex, keys) => floatKeyAt(cells, itemIndex, keys),
    keyOf: (value) => (typeof value === 'number' ? value : undefined),
    numberAt: cells.at,
  };
}

/** Instants in milliseconds since the epoch, whatever their offset. */
export function createDatetimeColumn(): WritableColumn & { at(itemIndex: number): number } {
  const cells = createFloatCells();
  const codes = createNumberCodes(cells);
  return {
    at: cells.at,
    /** The interface shows and accepts instants as text. */
    coded: {
      get codeLimit() {
        return codes.codeLimit;
      },
      countInto: codes.countInto,
      codesAt: codes.codesAt,
      valueOf: (code) => instantText(codes.valueOf(code) as number),
    },
    write(itemIndex, value) {
      cells.write(itemIndex, typeof value === 'string' ? parseInstant(value) : Number.NaN);
      codes.note(itemIndex);
    },
    numberAt: cells.at,
    matcher({ oneOf, instant }) {
      if (instant) return (itemIndex) => instant(cells.at(itemIndex));
      const texts = oneOf?.filter((one) => typeof one === 'string') ?? [];
      const wanted = new Set(texts.map(parseInstant).filter((instantMs) => !Number.isNaN(instantMs)));
      return wanted.size > 0 ? (itemIndex) => wanted.has(cells.at(itemIndex)) : never;
    },
    valuesAt: (itemIndex) => {
      const instantMs = cells.at(itemIndex);
      return Number.isNaN(instantMs) ? [] : [instantText(instantMs)];
    },
    valueKeysAt: (itemIndex, keys) => floatKeyAt(cells, itemIndex, keys),
  };
}

/** The same text for all items. */
export function createConstantColumn(constant: string): Column {
  return {
    matcher: ({ oneOf, text }) =>
      (oneOf ? oneOf.includes(constant) : text?.(constant)) ? () => true : never,
    valuesAt: () => [constant],
    valueKeysAt(_itemIndex, keys) {
      keys[0] = constant;
      return 1;
    },
  };
}

/** 1 true, 0 false, -1 absent. */
export function createBooleanColumn(): WritableColumn {
  let cells = new Int8Array(0);
  const at = (itemIndex: number): number => (itemIndex < cells.length ? cells[itemIndex] : -1);
  return {
    write(itemIndex, value) {
      cells = grown(cells, itemIndex + 1, -1);
      cells[itemIndex] = typeof value === 'boolean' ? Number(value) : -1;
    },
    matcher({ oneOf }) {
      const takesTrue = oneOf?.includes(true) ?? false;
      const takesFalse = oneOf?.includes(false) ?? false;
      return (itemIndex) => (at(itemIndex) === 1 && takesTrue) || (at(itemIndex) === 0 && takesFalse);
    },
    valuesAt: (itemIndex) => (at(itemIndex) < 0 ? [] : [at(itemIndex) === 1]),
    coded: {
      codeLimit: 2,
      countInto(items, itemCount, counts) {
        for (let i = 0; i < itemCount; i++) if (at(items[i]) >= 0) counts[at(items[i])] += 1;
      },
      codesAt(itemIndex, codes) {
        codes[0] = at(itemIndex);
        return codes[0] < 0 ? 0 : 1;
      },
      valueOf: (code) => code === 1,
    },
    keyOf: (value) => (typeof value === 'boolean' ? Number(value) : undefined),
    valueKeysAt(itemIndex, keys) {
      if (at(itemIndex) < 0) return 0;
      keys[0] = at(itemIndex);
      return 1;
    },
  };
}
