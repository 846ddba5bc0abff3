/**
 * Converts a pointer into the normalised message to one into the caller's JSON.
 *
 * Checks name the normalised place (`/match/or/0/value`). Steps that a shorter spelling (`"match":
 * ["a"]`) does not have are left out (`/match/0`).
 */
export function settlePointer(json: unknown, pointer: string): string {
  let node = json;
  let settled = '';
  const steps = pointer.split('/').slice(1);
  for (const [i, step] of steps.entries()) {
    if (Array.isArray(node)) {
      if (!/^\d+$/.test(step)) continue;
      node = node[Number(step)];
    } else if (typeof node === 'object' && node !== null) {
      const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
      if (!Object.hasOwn(node, key)) {
        if (/^\d+$/.test(step)) continue;
        return `${settled}/${steps.slice(i).join('/')}`;
      }
      node = (node as Record<string, unknown>)[key];
    } else {
      return settled;
    }
    settled += `/${step}`;
  }
  return settled;
}
