/** Offsets of streams that are read: each advances in the transaction that stores the records up to it. */

import type { Transaction } from 'kysely';
import type { Database } from '../database.ts';
import type { Schema } from '../schema.ts';

export type StreamTopic = { group: string; topic: string; topicId: string };

/** Records of a partition: from `first` up to, but without, `next`. */
export type StreamRange = StreamTopic & { partition: number; first: number; next: number };

/** Returns the next offset to read by partition; partitions that were never read are absent. */
export async function findStreamOffsets(
  { kysely }: Database,
  { group, topic, topicId }: StreamTopic,
): Promise<Map<number, number>> {
  const rows = await kysely
    .selectFrom('stream_offsets')
    .select(['partition', 'next_offset'])
    .where('consumer_group', '=', group)
    .where('topic', '=', topic)
    .where('topic_id', '=', topicId)
    .execute();
  return new Map(rows.map(({ partition, next_offset }) => [partition, next_offset]));
}

/**
 * Advances the offset and runs `store` in one transaction. Does neither and returns false if a record
 * of the range was stored before, such as by a node that had the partition meanwhile.
 */
export function advanceStream(
  { kysely }: Database,
  range: StreamRange,
  store: (transaction: Transaction<Schema>) => Promise<void> = async () => undefined,
): Promise<boolean> {
  const { group, topic, topicId, partition, first, next } = range;
  return kysely.transaction().execute(async (transaction) => {
    const advanced = await transaction
      .insertInto('stream_offsets')
      .values({ consumer_group: group, topic, topic_id: topicId, partition, next_offset: next })
      .onConflict((conflict) =>
        conflict
          .columns(['consumer_group', 'topic', 'topic_id', 'partition'])
          .doUpdateSet({ next_offset: next })
          .where('stream_offsets.next_offset', '<=', first),
      )
      .returning('next_offset')
      .executeTakeFirst();
    if (advanced) await store(transaction);
    return advanced !== undefined;
  });
}
