/**
 * Assigns a device to a user group and an A/B version: sticky, by share, without stored state.
 *
 * Weighted rendezvous hashing (Thaler and Ravishankar 1998; Schindelhauer and Schomaker 2005): each
 * group draws -ln(h) / share, with h in (0, 1) a hash of salt, group and device; the smallest draw
 * wins. A changed share moves only as many devices as necessary.
 */

import { hash } from 'node:crypto';

export type Share = { name: string; share: number };

/** Returns the chosen entry; undefined if there are no choices. */
export function assign<T extends Share>(
  choices: readonly T[],
  salt: string,
  deviceId: string,
): T | undefined {
  if (choices.length < 2) return choices[0];
  let chosen: T | undefined;
  let smallest = Number.POSITIVE_INFINITY;
  for (const choice of choices) {
    const draw = -Math.log(unitHash(`${salt}\u0000${choice.name}\u0000${deviceId}`)) / choice.share;
    if (draw < smallest) {
      smallest = draw;
      chosen = choice;
    }
  }
  return chosen;
}

/** Returns a hash strictly between 0 and 1, from 48 bits. */
export function unitHash(text: string): number {
  const digest = hash('sha1', text, 'buffer');
  return (digest.readUIntBE(0, 6) + 0.5) / 2 ** 48;
}
