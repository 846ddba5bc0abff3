/** Whether the service can be reached, by its health check after a failed call. */

import { Code, ConnectError } from '@connectrpc/connect';
import { useSyncExternalStore } from 'react';
import { t } from '../texts/texts.ts';
import { settings } from './settings.ts';

const pingIntervalMs = 2_000;

let isLost = false;
let isPinging = false;
const listeners = new Set<() => void>();

export const isConnectionLost = (): boolean => isLost;

export function useConnectionLost(): boolean {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, isConnectionLost);
}

/** Returns whether the service answers its health check. */
export const ping = (): Promise<boolean> =>
  fetch(`${settings.prefix}/healthz`, { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  );

/** Checks the service until it answers; the connection is lost while it does not. */
async function watch(): Promise<void> {
  if (isPinging) return;
  isPinging = true;
  for (;;) {
    const wasLost = isLost;
    isLost = !(await ping());
    if (isLost !== wasLost) for (const listener of listeners) listener();
    if (!isLost) break;
    await new Promise((resolve) => setTimeout(resolve, pingIntervalMs));
  }
  isPinging = false;
}

/** Wordings of browsers for a request without an answer. */
const networkFailure = /failed to fetch|networkerror|load failed/i;

/** Returns a failed request as `Connection lost.`, other errors unchanged. */
export function translateFailure(error: unknown): unknown {
  const cause = error instanceof ConnectError ? error.cause : error;
  if (!(cause instanceof TypeError && networkFailure.test(cause.message))) return error;
  void watch();
  return new ConnectError(t('Connection lost.'), Code.Unavailable);
}
