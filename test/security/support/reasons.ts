import { DomainError } from '../../../src/errors.ts';

/** How work ended: `ok`, or the reason of the DomainError. Anything else that is thrown goes on. */
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
