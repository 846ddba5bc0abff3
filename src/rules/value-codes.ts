import type { Catalog } from '../catalog/catalog.ts';
import type { Column, ValueKey } from '../catalog/columns.ts';
import { grown } from '../catalog/growth.ts';

/** The item has no value of the key. */
export const noValue = -1;

/** The item has several values of the key. */
export const severalValues = -2;

/**
 * The value of one key in every item as a small number, remembered between requests.
 *
 * Finding items of values that a list has not used up must look at many items; a column answers per item with a list of
 * keys, this with one number. It follows the catalogue's change log as match sets do.
 */
export class ValueCodes {
  /** By item: the code of its only value, `noValue` or `severalValues`. */
  codes = new Int32Array(0);
  /** Values that no item has any more stay until they outnumber the items. */
  private readonly codeByKey = new Map<ValueKey, number>();
  private readonly keys: ValueKey[] = [];
  private readonly catalog: Catalog;
  private readonly column: Column;
  private position = -1;

  constructor(catalog: Catalog, column: Column) {
    this.catalog = catalog;
    this.column = column;
  }

  get bytes(): number {
    return this.codes.byteLength + this.codeByKey.size * 40;
  }

  /** The code of a value, or -1 when no item had it alone so far. */
  codeOf(key: ValueKey): number {
    return this.codeByKey.get(key) ?? noValue;
  }

  /** Codes are below it. */
  get codeLimit(): number {
    return this.codeByKey.size;
  }

  /** Brings the codes up to date. */
  catchUp(): void {
    const { itemCount, changes } = this.catalog;
    if (this.position === changes.position) return;
    this.codes = grown(this.codes, itemCount, noValue);
    const isCrowded = this.codeByKey.size > itemCount * 2;
    const followed =
      this.position >= 0 && !isCrowded && changes.visitSince(this.position, (i) => this.update(i));
    if (!followed) this.rebuild();
    this.position = changes.position;
  }

  private rebuild(): void {
    this.codeByKey.clear();
    for (let itemIndex = 0; itemIndex < this.catalog.itemCount; itemIndex++) this.update(itemIndex);
  }

  private update(itemIndex: number): void {
    const count = this.column.valueKeysAt(itemIndex, this.keys);
    if (count !== 1) this.codes[itemIndex] = count === 0 ? noValue : severalValues;
    else this.codes[itemIndex] = this.codeByKey.get(this.keys[0]) ?? this.addCode(this.keys[0]);
  }

  private addCode(key: ValueKey): number {
    this.codeByKey.set(key, this.codeByKey.size);
    return this.codeByKey.size - 1;
  }
}
