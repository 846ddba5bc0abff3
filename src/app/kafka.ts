/** The topics of Kafka that a node reads and writes. */

import type { KafkaPublication } from '../../gen/es/personalisation/deployment/v1/deployment_pb.js';
import { exportedJson } from '../handlers/events/exported-events.ts';
import type { ReceiveRecords } from '../handlers/events/receive-events.ts';
import { createPeriodic } from '../ranking/runtime/periodic.ts';
import { createSparingWarning } from '../ranking/runtime/sparing-warning.ts';
import { findStreamOffsets } from '../repository/events/stream-offsets.ts';
import { addPublication, publishEvents } from '../repository/events/stream-publications.ts';
import { loadKafka } from '../servers/kafka/client.ts';
import { createTopicConsumer, type DeadLetter } from '../servers/kafka/consumer.ts';
import { createKafkaProducer, type KafkaProducer } from '../servers/kafka/producer.ts';
import { watchTopics } from '../servers/telemetry/service-metrics.ts';
import type { Node } from './node.ts';
import type { Background } from './serving.ts';

export type Receivers = { events: ReceiveRecords; items: ReceiveRecords };

/**
 * Returns nothing to start when Kafka is not configured. Starting does not wait for a broker.
 * @throws Error when Kafka's library is not installed
 */
export async function createKafkaTopics(node: Node, receivers: Receivers): Promise<Background[]> {
  const { db, deployment, served, logger, telemetry } = node;
  const { kafka } = deployment;
  if (!kafka) return [];
  await loadKafka();
  const producer = createKafkaProducer(kafka);
  const sendDeadLetters = createDeadLetterSender(producer, kafka.deadLetterTopic, node);
  const consumers = kafka.topics
    .filter(({ environment }) => served.has(environment))
    .map((topic) =>
      createTopicConsumer({
        ...{ kafka, topic, sendDeadLetters, logger },
        receive: receivers[topic.kind as keyof Receivers],
        findOffsets: (offsets) => findStreamOffsets(db, offsets),
      }),
    );
  if (telemetry.metrics) watchTopics(telemetry.metrics, consumers);
  const publishers = kafka.publish
    .filter(({ environment }) => served.has(environment))
    .map((publication) => createPublisher(node, producer, publication));
  return [...consumers, ...publishers, { stop: producer.stop }];
}

/** Sends faulty records to the topic of dead letters; one that cannot be sent is logged and left out. */
function createDeadLetterSender(producer: KafkaProducer, topic: string | undefined, { logger }: Node) {
  const warn = createSparingWarning(logger, 'Records of Kafka could not be sent to the dead-letter topic.');
  return async (letters: readonly DeadLetter[]): Promise<void> => {
    if (topic === undefined) return;
    const messages = letters.map(({ record, reason }) => ({
      topic,
      key: record.key,
      value: record.value,
      headers: new Map(
        Object.entries({
          topic: record.topic,
          partition: String(record.partition),
          offset: String(record.offset),
          reason,
        }).map(([name, text]) => [Buffer.from(name), Buffer.from(text)]),
      ),
    }));
    await producer.send(messages).catch((err) => warn({ topic, count: messages.length, err }));
  };
}

const publishPauseMs = 500;
const publishRetryMs = 5_000;

/** Writes the events of an environment to a topic, keyed by user or device. */
function createPublisher({ db, logger }: Node, producer: KafkaProducer, publication: KafkaPublication) {
  const { topic, environment } = publication;
  let isAdded = false;
  return createPeriodic({
    async work() {
      if (!isAdded) await addPublication(db, publication);
      isAdded = true;
      const isMore = await publishEvents(db, { topic, environment }, (events) =>
        producer.send(
          events.map((event) => ({
            topic,
            key: Buffer.from(event.userId ?? event.deviceId ?? ''),
            value: Buffer.from(exportedJson(event)),
          })),
        ),
      );
      return isMore ? 'again' : undefined;
    },
    ...{ firstPauseMs: 0, pauseMs: publishPauseMs, retryMs: publishRetryMs },
    complaint: 'Events cannot be written to a topic of Kafka; trying again.',
    ...{ facts: { topic, environment }, logger },
  });
}
