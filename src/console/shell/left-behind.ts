/** Drafts of a tab; another client that signs in never sees them. */

const key = 'client';

export function forgetAll(): void {
  sessionStorage.clear();
}

/** Keeps drafts for a client that signs in again after its session ended. */
export function keepFor(clientId: string): void {
  if (sessionStorage.getItem(key) !== clientId) forgetAll();
  sessionStorage.setItem(key, clientId);
}
