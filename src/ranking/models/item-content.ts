/** Extracts an item's content for the models. */

import { itemFields } from '../../deployment/deployment.ts';
import type { ItemContent } from './features.ts';

type Document = Readonly<Record<string, unknown>>;

/** Fields that identify, locate or picture an item; all others describe it. */
const notDescriptive = new Set([...itemFields, 'images', 'item_attributes']);

export function contentOf(item: Document): ItemContent {
  return {
    title: typeof item.title === 'string' ? item.title : undefined,
    tags: Array.isArray(item.tags) ? item.tags : undefined,
    categories: Array.isArray(item.categories) ? item.categories : undefined,
    attributes: [...propertiesOf(item), ...attributesOf(item.item_attributes)],
  };
}

/** Returns the item's first category as a path, or undefined. */
export function categoryOf(item: Document): string | undefined {
  const [first] = Array.isArray(item.categories) ? item.categories : [];
  const path = Array.isArray(first)
    ? first.map((name) => String(name).replaceAll('/', '∕')).join('/')
    : first;
  return typeof path === 'string' && path !== '' ? path : undefined;
}

/** Leaves out numbers such as prices and vectors: equal ones say little, and near ones are not equal. */
function propertiesOf(item: Document): { name: string; value: unknown }[] {
  return Object.entries(item)
    .filter(
      ([name, value]) =>
        !notDescriptive.has(name) &&
        (typeof value === 'string' || (Array.isArray(value) && typeof value[0] !== 'number')),
    )
    .map(([name, value]) => ({ name, value }));
}

/** Accepts both documented forms: `[{name, value}]` and an object. */
function attributesOf(attributes: unknown): { name: string; value: unknown }[] {
  if (Array.isArray(attributes)) return attributes;
  if (typeof attributes !== 'object' || attributes === null) return [];
  return Object.entries(attributes).map(([name, value]) => ({ name, value }));
}
