/**
 * Work beside requests: after each slice they get their turn, and while there are any the work rests as long as they took. So a
 * request waits for one slice at most, and half of the time stays free while the service is in use.
 */

import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';

/** A few people's lists; some requests take as long. */
const sliceMs = 1;

/** What an idle turn takes. */
const idleTurnMs = 0.2;
const longestRestMs = 20;

/** To be called after each step of the work. */
export type GiveWay = () => Promise<void>;

export function createGivingWay(): GiveWay {
  let startMs = performance.now();
  return async () => {
    const leftMs = performance.now();
    if (leftMs - startMs < sliceMs) return;
    await nextTurn();
    const othersMs = performance.now() - leftMs;
    if (othersMs > idleTurnMs) await delay(Math.min(longestRestMs, othersMs));
    startMs = performance.now();
  };
}
