/** Time until a node works again. */

import { setTimeout as delay } from 'node:timers/promises';
import { call } from './call.ts';
import { type ChaosNode, environments } from './world.ts';

export const recoveryMs = 5_000;
/** Time limit; a node that does not recover is a fault. */
const longestRecoveryMs = 60_000;
const pollMs = 50;

export type Recovery = { fault: string; ms: number };

/** Milliseconds until it is ready, accepts a write and makes a list. */
export async function recover(node: ChaosNode): Promise<number> {
  const startMs = performance.now();
  const [environment] = environments;
  const lists = [{ configuration_id: 'all', list_name: 'all', list_size: 3 }];
  const asked = { device_id: `${environment}-d1`, page_type: 'home', lists };
  const item = { title: 'Article probe' };
  const questions = [
    () => fetch(new URL('/readyz', node.served.baseUrl)).catch(() => ({ status: 0 })),
    () => call(node, 'PUT', `/${environment}/items/article/${environment}-a0`, item),
    () => call(node, 'POST', `/${environment}/recommendations/requests`, asked),
  ];
  for (const question of questions) {
    while ((await question()).status !== 200 && performance.now() - startMs < longestRecoveryMs)
      await delay(pollMs);
  }
  return performance.now() - startMs;
}

export function findLate(recoveries: readonly Recovery[]): string[] {
  return recoveries
    .filter(({ ms }) => ms > recoveryMs)
    .map(({ fault, ms }) => `${fault}: answered again after ${(ms / 1_000).toFixed(1)} s only`);
}

export function reportRecoveries(recoveries: readonly Recovery[]): void {
  for (const [name, ones] of Map.groupBy(recoveries, ({ fault }) => fault)) {
    const slowest = Math.max(...ones.map(({ ms }) => ms)) / 1_000;
    console.log(`${ones.length} × ${name}, slowest recovery ${slowest.toFixed(1)} s`);
  }
}
