/**
 * Reads a topic of Kafka. Offsets are stored with the records, in the same transaction, and read
 * from there whenever partitions are assigned; the broker gets them too, but only to show the lag.
 * Whatever fails, such as the broker or the database, the consumer connects again and goes on at the
 * stored offsets.
 */

import type { Consumer, Message, MessagesStream } from '@platformatic/kafka';
import type { Logger } from 'pino';
import type { Kafka, KafkaTopic } from '../../../gen/es/personalisation/deployment/v1/deployment_pb.js';
import { DomainError, type Violation } from '../../errors.ts';
import { createPeriodic, type Periodic } from '../../ranking/runtime/periodic.ts';
import { createSparingWarning } from '../../ranking/runtime/sparing-warning.ts';
import { connectionOptions, loadKafka } from './client.ts';

/** A batch ends with the record that reaches either limit. */
const mostRecords = 500;
const mostBytes = 4 * 1024 * 1024;
/** A larger record is refused. */
const largestRecordBytes = 1024 * 1024;
/** The records of a member that died are read by others after this time. */
const sessionTimeoutMs = 10_000;
const heartbeatMs = 3_000;
const lagIntervalMs = 5_000;
/** Between connections: the pause doubles while no record is stored. */
const firstPauseMs = 1_000;
const longestPauseMs = 30_000;

type Offsets = { group: string; topic: string; topicId: string };
type Refused = { index: number; violations: readonly Violation[] };

export type Records = {
  environment: string;
  format: string;
  range: Offsets & { partition: number; first: number; next: number };
  values: readonly (Uint8Array | null)[];
  refuse(records: readonly Refused[]): Promise<void>;
};

export type DeadLetter = { record: Message; reason: string };

export type ConsumerOptions = {
  kafka: Kafka;
  topic: KafkaTopic;
  /** Stores records and the offset behind them; undefined if some of them were stored before. */
  receive(records: Records): Promise<number | undefined>;
  /** Returns the next offset by partition. */
  findOffsets(offsets: Offsets): Promise<ReadonlyMap<number, number>>;
  /** Sends records that cannot be stored to the topic of dead letters; never rejects. */
  sendDeadLetters(letters: readonly DeadLetter[]): Promise<void>;
  logger: Pick<Logger, 'warn' | 'info'>;
};

export type ConsumerCounts = {
  stored: number;
  refused: number;
  failures: number;
  /** Records that are not stored yet, in the partitions of this node. */
  lag: number;
};

export type TopicConsumer = Pick<Periodic, 'start' | 'stop'> & {
  readonly topic: string;
  readonly counts: ConsumerCounts;
};

export function createTopicConsumer(options: ConsumerOptions): TopicConsumer {
  const { logger } = options;
  const { topic } = options.topic;
  const counts: ConsumerCounts = { stored: 0, refused: 0, failures: 0, lag: 0 };
  const warn = createSparingWarning(logger, complaint);
  const context = { ...options, counts, warnOfRecord: createSparingWarning(logger, refusedMessage) };
  let pauseMs = firstPauseMs;
  const { start, stop } = createPeriodic({
    async work(signal) {
      try {
        await consume(context, signal, () => {
          pauseMs = firstPauseMs;
        });
      } catch (err) {
        if (signal.aborted) return;
        counts.failures += 1;
        pauseMs = Math.min(longestPauseMs, 2 * pauseMs);
        warn({ topic, err });
      }
    },
    firstPauseMs: 0,
    pauseMs: () => pauseMs,
    ...{ complaint, logger },
  });
  return { topic, counts, start, stop };
}

const complaint = 'A topic of Kafka cannot be read; trying again.';
const refusedMessage = 'A record of Kafka cannot be stored and is left out.';

type Context = ConsumerOptions & { counts: ConsumerCounts; warnOfRecord(facts: object): void };

/** Reads until the connection fails or the signal aborts. */
async function consume(context: Context, signal: AbortSignal, progressed: () => void): Promise<void> {
  const { consumer, topicId } = await createConsumer(context);
  const { topic } = context.topic;
  const close = () => consumer.close(true).catch(() => undefined);
  const onAbort = () => void close();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    signal.throwIfAborted();
    consumer.on('consumer:lag', (lag) => {
      const known = (lag.get(topic) ?? []).filter((count) => count > 0n);
      context.counts.lag = known.reduce((sum, count) => sum + Number(count), 0);
    });
    let stream: TopicStream | undefined;
    let failure: Error | undefined;
    /** The group reports here that it could not be joined again; without a listener the process would end. */
    consumer.on('error', (error: Error) => {
      failure = error;
      stream?.destroy(error);
    });
    stream = await consumer.consume({ topics: [topic], mode: 'committed', fallbackMode: 'earliest' });
    if (failure) throw failure;
    consumer.startLagMonitoring({ topics: [topic] }, lagIntervalMs);
    for await (const records of batchesOf(stream)) {
      for (const [partition, ofPartition] of Map.groupBy(records, (record) => record.partition)) {
        await store(context, { topicId: topicId(), partition }, ofPartition);
        progressed();
        Promise.resolve(ofPartition.at(-1)!.commit()).catch(() => undefined);
      }
      if (signal.aborted) return;
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    await close();
  }
}

type FoundOffsets = (error: Error | null, offsets?: Map<string, bigint[]>) => void;

const groupOf = ({ group = 'personalisation' }: Kafka, topic: string): string => `${group}.${topic}`;

async function createConsumer({ kafka, topic: { topic }, findOffsets }: Context) {
  const { Consumer: KafkaConsumer } = await loadKafka();
  const group = groupOf(kafka, topic);
  let topicId = '';
  const find = async (consumer: Consumer): Promise<Map<string, bigint[]>> => {
    const { id, partitionsCount } = (await consumer.metadata({ topics: [topic] })).topics.get(topic)!;
    topicId = id;
    const next = await findOffsets({ group, topic, topicId });
    return new Map([[topic, Array.from({ length: partitionsCount }, (_, i) => BigInt(next.get(i) ?? -1))]]);
  };
  /** The library's stream asks this method for offsets at each assignment of partitions. */
  class StoredOffsetConsumer extends KafkaConsumer {
    override listCommittedOffsets(...given: unknown[]): Promise<Map<string, bigint[]>> {
      const found = find(this);
      const callback = given[1] as FoundOffsets | undefined;
      if (callback)
        found.then(
          (offsets) => callback(null, offsets),
          (error) => callback(error),
        );
      return found;
    }
  }
  const consumer: Consumer = new StoredOffsetConsumer({
    ...(await connectionOptions(kafka)),
    ...{ groupId: group, autocommit: false, maxWaitTime: 500 },
    ...{
      sessionTimeout: sessionTimeoutMs,
      heartbeatInterval: heartbeatMs,
      rebalanceTimeout: sessionTimeoutMs,
    },
  });
  return { consumer, topicId: () => topicId };
}

type TopicStream = MessagesStream<Buffer, Buffer, Buffer, Buffer>;

/** Yields what has arrived, within the limits of a batch. */
async function* batchesOf(stream: TopicStream): AsyncGenerator<Message[], void, undefined> {
  let batch: Message[] = [];
  let bytes = 0;
  for await (const record of stream) {
    batch.push(record);
    bytes += record.value?.length ?? 0;
    if (stream.readableLength > 0 && batch.length < mostRecords && bytes < mostBytes) continue;
    yield batch;
    [batch, bytes] = [[], 0];
  }
}

type Place = { topicId: string; partition: number };

/** Stores the records of a partition. Halves a batch that fails by its content, down to the faulty record. */
async function store(context: Context, place: Place, records: readonly Message[]): Promise<void> {
  const { kafka, topic, counts, receive, findOffsets } = context;
  const offsets = { group: groupOf(kafka, topic.topic), topic: topic.topic, topicId: place.topicId };
  const [first, last] = [Number(records[0].offset), Number(records.at(-1)!.offset)];
  const range = { ...offsets, partition: place.partition, first, next: last + 1 };
  const { environment, format = 'json' } = topic;
  const values = records.map(({ value }) => (value && value.length <= largestRecordBytes ? value : null));
  const large = records.flatMap(({ value }, index) =>
    value && value.length > largestRecordBytes ? { index, violations: [tooLarge] } : [],
  );
  const refuse = (refused: readonly Refused[]) => refuseRecords(context, records, [...large, ...refused]);
  try {
    const stored = await receive({ environment, format, range, values, refuse });
    if (stored !== undefined) counts.stored += stored;
    else {
      const next = (await findOffsets(offsets)).get(place.partition) ?? 0;
      const rest = records.filter(({ offset }) => Number(offset) >= next);
      if (rest.length > 0) await store(context, place, rest);
    }
  } catch (error) {
    if (!(error instanceof DomainError) || error.reason === 'UNAVAILABLE') throw error;
    const half = records.length >> 1;
    if (half > 0) {
      await store(context, place, records.slice(0, half));
      await store(context, place, records.slice(half));
      return;
    }
    await refuseRecords(context, records, [
      { index: 0, violations: [{ pointer: '', detail: error.message }] },
    ]);
    await receive({ environment, format, range, values: [], refuse: async () => undefined });
  }
}

const tooLarge = { pointer: '', detail: `Is larger than ${largestRecordBytes} bytes.` };

async function refuseRecords(
  { topic: { topic }, counts, sendDeadLetters, warnOfRecord }: Context,
  records: readonly Message[],
  refused: readonly Refused[],
): Promise<void> {
  if (refused.length === 0) return;
  counts.refused += refused.length;
  const letters = refused.map(({ index, violations }) => ({
    record: records[index],
    reason: violations.map(({ pointer, detail }) => `${pointer || 'The record'}: ${detail}`).join(' '),
  }));
  for (const { record, reason } of letters)
    warnOfRecord({ topic, partition: record.partition, offset: Number(record.offset), reason });
  await sendDeadLetters(letters);
}
