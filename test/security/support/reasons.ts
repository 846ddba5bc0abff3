import { DomainError } from '../../../src/errors.ts';

/** Returns `ok`, or the reason of the DomainError. Rethrows other errors. */
export async function outcomeOf(work: () => unknown): Promise<string> {
  return (await errorOf(work))?.reason ?? 'ok';
}

export async function errorOf(work: () => unknown): Promise<DomainError | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
}
