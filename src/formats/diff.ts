/** Differences of two JSON documents, as pointers with the values before and after. */

import { pointerStep } from '../errors.ts';

export type Change = { pointer: string; before?: unknown; after?: unknown };

/** Changes follow the order of the later document; removals come last in their container. */
export function diffDocuments(before: unknown, after: unknown, pointer = ''): Change[] {
  if (isContainer(before) && isContainer(after) && Array.isArray(before) === Array.isArray(after)) {
    return diffContainers(before, after, pointer);
  }
  return Object.is(before, after) ? [] : [{ pointer, before, after }];
}

type Container = Record<string, unknown>;

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null;
}

function diffContainers(before: Container, after: Container, pointer: string): Change[] {
  const names = new Set([...Object.keys(after), ...Object.keys(before)]);
  return Array.from(names).flatMap((name): Change[] => {
    const at = pointer + pointerStep(name);
    if (!Object.hasOwn(before, name)) return [{ pointer: at, after: after[name] }];
    if (!Object.hasOwn(after, name)) return [{ pointer: at, before: before[name] }];
    return diffDocuments(before[name], after[name], at);
  });
}
