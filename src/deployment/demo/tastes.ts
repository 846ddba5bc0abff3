/**
 * Tastes of the simulated visitors: a main subject and a related one, so that subjects correlate (walkers watch birds,
 * cyclists drink coffee). Other items are opened now and then.
 */
import type { DemoItem } from './items.ts';

export type Taste = {
  name: string;
  /** Categories; each covers everything below it. */
  main: string;
  side: string;
};

/** Factors of the probability that an item of the category is opened, relative to other items. */
const mainFactor = 45;
const sideFactor = 9;

export const tastes = [
  { name: 'walker', main: 'outdoor/hiking', side: 'science/wildlife' },
  { name: 'cyclist', main: 'outdoor/cycling', side: 'kitchen/coffee' },
  { name: 'baker', main: 'kitchen/baking', side: 'kitchen/coffee' },
  { name: 'barista', main: 'kitchen/coffee', side: 'music/listening' },
  { name: 'listener', main: 'music/listening', side: 'music/making' },
  { name: 'musician', main: 'music/making', side: 'music/listening' },
  { name: 'stargazer', main: 'science/astronomy', side: 'outdoor/hiking' },
  { name: 'naturalist', main: 'science/wildlife', side: 'science/astronomy' },
] as const satisfies readonly Taste[];

export type TasteName = (typeof tastes)[number]['name'];

/** Returns 1 for an item outside the taste. */
export function tasteFactor(taste: Taste, item: DemoItem): number {
  const [category] = item.categories;
  if (category.startsWith(`${taste.main}/`)) return mainFactor;
  return category.startsWith(`${taste.side}/`) ? sideFactor : 1;
}
