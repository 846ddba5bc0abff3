/** Formats a connection as DATABASE_URL. */

import type { Connection } from '../../src/repository/database.ts';

export function addressOf({ user, host, port, database, password }: Connection): string {
  const secret = encodeURIComponent(password ?? '');
  return `postgres://${user}:${secret}@${encodeURIComponent(host)}:${port}/${database}`;
}
