/** Connections to Kafka. The library is loaded with the first one, so it costs nothing where Kafka is not configured. */

import { readFile } from 'node:fs/promises';
import type { BaseOptions } from '@platformatic/kafka';
import type { Kafka } from '../../../gen/es/personalisation/deployment/v1/deployment_pb.js';
import { loadIntegration } from '../integrations.ts';

/** @throws Error when the library is not installed */
export const loadKafka = () => loadIntegration('Kafka', () => import('@platformatic/kafka'));

/** Reads certificates and the password anew. @throws Error when a file cannot be read */
export async function connectionOptions({ brokers, tls, sasl }: Kafka): Promise<BaseOptions> {
  const read = (path: string | undefined) => (path === undefined ? undefined : readFile(path, 'utf8'));
  const [ca, cert, key, password] = await Promise.all(
    [tls?.ca, tls?.certificate, tls?.key, sasl?.passwordFile].map(read),
  );
  return {
    clientId: 'personalisation',
    bootstrapBrokers: brokers,
    retries: 1,
    ...(tls && { tls: { ca, cert, key }, tlsServerName: true }),
    ...(sasl && {
      sasl: {
        mechanism: sasl.mechanism as 'PLAIN',
        username: sasl.username,
        password: password!.replace(/\r?\n$/, ''),
      },
    }),
  };
}
