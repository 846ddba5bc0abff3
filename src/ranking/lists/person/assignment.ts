/**
 * Which user group and A/B version a device belongs to: sticky, spread by share, without stored state.
 *
 * Weighted rendezvous hashing (Thaler and Ravishankar 1998; Schindelhauer and Schomaker 2005): every group draws
 * -ln(h) / share with h a hash of salt, group and device in (0, 1), and the smallest draw wins. When a share changes, only
 * as many devices move as the change demands.
 */

import { hash } from 'node:crypto';

export type Share = { name: string; share: number };

/** The chosen entry, or undefined when there are none. */
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

/** Above 0 and below 1, from 48 bits. */
function unitHash(text: string): number {
  const digest = hash('sha1', text, 'buffer');
  return (digest.readUIntBE(0, 6) + 0.5) / 2 ** 48;
}
