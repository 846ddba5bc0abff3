/**
 * Devices that events which nobody vouches for said to be a user's: by positions of people. Through a claim opt-outs are passed on
 * (contacts.ts), and nothing else.
 */

/** About 50 bytes each; further ones are not remembered. */
const mostClaims = 10_000_000;

/** Above any position. */
const positions = 2 ** 26;

export type Claims = {
  add(device: number, user: number, arrivedAtSeconds: number): void;
  visit(visit: (device: number, user: number) => void): void;
  forget(isGone: (device: number, user: number) => boolean): void;
  /** Those that nobody repeated since a moment, unless the device or the user `said` something; calls `keep` for these. */
  forgetUnseen(
    beforeSeconds: number,
    said: (position: number) => boolean,
    keep: (device: number, user: number) => void,
  ): void;
};

export function createClaims(): Claims {
  const seenAt = new Map<number, number>();
  const pairOf = (key: number) => [Math.floor(key / positions), key % positions] as const;
  return {
    add(device, user, arrivedAtSeconds) {
      const key = device * positions + user;
      if (device < 0 || user < 0 || (seenAt.size >= mostClaims && !seenAt.has(key))) return;
      seenAt.set(key, Math.max(arrivedAtSeconds, seenAt.get(key) ?? 0));
    },
    visit(visit) {
      for (const key of seenAt.keys()) visit(...pairOf(key));
    },
    forget(isGone) {
      for (const key of seenAt.keys()) if (isGone(...pairOf(key))) seenAt.delete(key);
    },
    forgetUnseen(beforeSeconds, said, keep) {
      for (const [key, atSeconds] of seenAt) {
        if (atSeconds >= beforeSeconds) continue;
        const [device, user] = pairOf(key);
        if (said(device) || said(user)) keep(device, user);
        else seenAt.delete(key);
      }
    },
  };
}
