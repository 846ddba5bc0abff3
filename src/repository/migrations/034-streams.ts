import { type Kysely, sql } from 'kysely';

/**
 * How far topics of a stream are read, and events written to topics. `topic_id` tells a topic from
 * an earlier one of the same name. `positions` maps `bucket.lane` to the last event number.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table stream_offsets (
      consumer_group text collate "C" not null,
      topic text collate "C" not null,
      topic_id text collate "C" not null,
      partition integer not null,
      next_offset bigint not null,
      primary key (consumer_group, topic, topic_id, partition)
    )`.execute(db);
  await sql`
    create table stream_publications (
      topic text collate "C" not null,
      environment text collate "C" not null,
      positions json not null,
      primary key (topic, environment)
    )`.execute(db);
}
