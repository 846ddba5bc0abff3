/** Size options of programs. The figures of docs/benchmarks.md use the defaults. */

/** `20M`, `1.25M`, `100k` or a plain number. */
export function countOf(text: string): number {
  const [, digits, unit] = /^([\d.]+)([kM]?)$/.exec(text.trim()) ?? [];
  const count = Math.round(Number(digits) * { '': 1, k: 1e3, M: 1e6 }[unit ?? '']!);
  if (!(count > 0)) throw new Error(`${text} is not a count: write 100k, 1.25M or 20000000.`);
  return count;
}

/** Connections that post events. */
export const defaultLanes = '64';

/** Size of the generated shop (world.ts). */
export type ShopSize = { items: number; events: number; users: number };

export const shopOptions = {
  items: { type: 'string', default: '20k' },
  events: { type: 'string', default: '100k' },
  users: { type: 'string', default: '10k' },
} as const;

/** Size for programs without these options. */
export const defaultShopSize: ShopSize = { items: 20_000, events: 100_000, users: 10_000 };

export function shopSizeOf({ items, events, users }: Record<keyof ShopSize, string>): ShopSize {
  return { items: countOf(items), events: countOf(events), users: countOf(users) };
}
