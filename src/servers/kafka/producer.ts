/** Writes to topics of Kafka. A failed send is the caller's to repeat, over a new connection. */

import type { MessageToProduce, Producer } from '@platformatic/kafka';
import type { Kafka } from '../../../gen/es/personalisation/deployment/v1/deployment_pb.js';
import { connectionOptions, loadKafka } from './client.ts';

const acknowledgedByAll = -1;

export type KafkaProducer = {
  /** Resolves when all replicas that are in sync have the messages. */
  send(messages: MessageToProduce[]): Promise<void>;
  stop(): Promise<void>;
};

/** Connects when the first message is sent. */
export function createKafkaProducer(kafka: Kafka): KafkaProducer {
  let connecting: Promise<Producer> | undefined;
  const connect = async (): Promise<Producer> => {
    const { Producer: KafkaProducerClient } = await loadKafka();
    const options = await connectionOptions(kafka);
    const producer = new KafkaProducerClient({ ...options, acks: acknowledgedByAll });
    /** A send fails by itself. */
    producer.on('error', () => undefined);
    return producer;
  };
  const close = async (): Promise<void> => {
    const closing = connecting;
    connecting = undefined;
    await closing?.then((producer) => producer.close(true)).catch(() => undefined);
  };
  return {
    async send(messages) {
      connecting ??= connect();
      try {
        await (await connecting).send({ messages });
      } catch (error) {
        await close();
        throw error;
      }
    },
    stop: close,
  };
}
