/** What somebody leaves in a tab: drafts, and an import that runs. Whoever signs in after somebody else sees none of it. */

import { dropJob } from '../catalogue/import/job.ts';

const key = 'client';

export function forgetAll(): void {
  dropJob();
  sessionStorage.clear();
}

/** A session that ended keeps what was typed for the same client, who signs in again. */
export function keepFor(clientId: string): void {
  if (sessionStorage.getItem(key) !== clientId) forgetAll();
  sessionStorage.setItem(key, clientId);
}
