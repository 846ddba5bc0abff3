import type { Catalog } from '../catalog/catalog.ts';
import { grown } from '../catalog/growth.ts';
import type { Column, ValueKey } from '../catalog/typed-columns.ts';

/** The item has no value of the key. */
export const noValue = -1;

/** The item has several values of the key. */
export const severalValues = -2;

/**
 * The value of one key in each item as a small number, kept between requests.
 *
 * Scans for items with unused values need one number per item, where a column returns a list of
 * keys. The codes follow the catalogue's change log as match sets do.
 */
export class ValueCodes {
  /** By item: the code of its only value, `noValue` or `severalValues`. */
  codes = new Int32Array(0);
  /** By code: items with this value only. */
  counts = new Int32Array(0);
  /** Items without a value or with several. */
  irregularCount = 0;
  /** Unused values stay until they outnumber the items. */
  private readonly codeByKey = new Map<ValueKey, number>();
  private readonly keys: ValueKey[] = [];
  private readonly catalog: Catalog;
  private readonly column: Column;
  /** Counted items, including new ones without a code yet. */
  private known = 0;
  private position = -1;

  constructor(catalog: Catalog, column: Column) {
    this.catalog = catalog;
    this.column = column;
  }

  get bytes(): number {
    return this.codes.byteLength + this.counts.byteLength + this.codeByKey.size * 40;
  }

  /** Returns the code of a value, or -1 when no item has had it as its only value. */
  codeOf(key: ValueKey): number {
    return this.codeByKey.get(key) ?? noValue;
  }

  /** All codes are below this number. */
  get codeLimit(): number {
    return this.codeByKey.size;
  }

  /** Tells whether every item has exactly one value, which is marked 1 by code. */
  isCovered(marks: Uint8Array): boolean {
    if (this.irregularCount > 0) return false;
    for (let code = 0; code < this.codeLimit; code++)
      if (marks[code] === 0 && this.counts[code] > 0) return false;
    return true;
  }

  /** Brings the codes up to date. */
  catchUp(): void {
    const { itemCount, changes } = this.catalog;
    if (this.position === changes.position) return;
    this.codes = grown(this.codes, itemCount, noValue);
    this.irregularCount += itemCount - this.known;
    this.known = itemCount;
    const isCrowded = this.codeByKey.size > itemCount * 2;
    const followed =
      this.position >= 0 && !isCrowded && changes.visitSince(this.position, (i) => this.update(i));
    if (!followed) this.rebuild();
    this.position = changes.position;
  }

  private rebuild(): void {
    this.codeByKey.clear();
    this.counts.fill(0);
    this.irregularCount = this.known;
    this.codes.fill(noValue);
    for (let itemIndex = 0; itemIndex < this.catalog.itemCount; itemIndex++) this.update(itemIndex);
  }

  private update(itemIndex: number): void {
    const count = this.column.valueKeysAt(itemIndex, this.keys);
    this.count(this.codes[itemIndex], -1);
    if (count !== 1) this.codes[itemIndex] = count === 0 ? noValue : severalValues;
    else this.codes[itemIndex] = this.codeByKey.get(this.keys[0]) ?? this.addCode(this.keys[0]);
    this.count(this.codes[itemIndex], 1);
  }

  private count(code: number, change: 1 | -1): void {
    if (code < 0) this.irregularCount += change;
    else this.counts[code] += change;
  }

  private addCode(key: ValueKey): number {
    const code = this.codeByKey.size;
    this.codeByKey.set(key, code);
    this.counts = grown(this.counts, code + 1, 0);
    return code;
  }
}
