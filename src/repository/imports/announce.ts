/** Announces imports that need attention, in the outbox. */

import { sql } from 'kysely';
import { appendedChange } from '../changes/changes.ts';
import type { Database } from '../database.ts';

/** Result of the end of an import. */
export const endColumns = [
  ...(['environment', 'import_id as importId', 'file_name as fileName'] as const),
  ...(['state', 'counts', 'validate_only as validateOnly'] as const),
] as const;

type Ended = Record<'environment' | 'importId' | 'fileName' | 'state', string> & {
  counts: unknown;
  validateOnly: boolean;
};

/** Appends a change for an import that failed or rejected records. A person waits for validations. */
export async function announceFault(
  { kysely }: Pick<Database, 'kysely'>,
  bucket: number,
  { environment, importId, fileName, validateOnly, state, counts }: Ended,
): Promise<void> {
  const { accepted = 0, rejected = 0 } = counts as Partial<Record<'accepted' | 'rejected', number>>;
  if (validateOnly || (state === 'done' && rejected === 0)) return;
  const data = {
    ...{ import_id: importId, file_name: fileName, state },
    ...{ accepted_count: accepted, rejected_count: rejected },
  };
  const change = appendedChange({
    ...{ bucket, environment: sql`${environment}`, kind: 'import.failed' },
    data: sql`${JSON.stringify(data)}::json`,
  });
  await kysely.selectNoFrom(change.as('change')).execute();
}
