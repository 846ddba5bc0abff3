/** The connection settings of Kafka, from a deployment file to the library. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { loadDeployment } from '../../../src/deployment/load-deployment.ts';
import { connectionOptions } from '../../../src/servers/kafka/client.ts';

const files = { 'ca.pem': 'authority', 'c.pem': 'chain', 'k.pem': 'key', password: 'secret\n' };

test('certificates and the password are read from files beside the deployment file, anew each time', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'kafka-'));
  t.teardown(() => rm(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const path = join(folder, 'shop.yaml');
  const sectionOf = async (settings: string) => {
    const rest = 'environments: [ { name: shop, item_types: [ { name: product } ] } ]';
    await writeFile(path, `kafka: { brokers: ["kafka.example:9092"]${settings} }\n${rest}`);
    return (await loadDeployment(path)).kafka!;
  };
  const login = 'sasl: { mechanism: SCRAM-SHA-512, username: shop, password_file: password }';
  const kafka = await sectionOf(`, tls: { ca: ca.pem, certificate: c.pem, key: k.pem }, ${login}`);
  const sasl = { mechanism: 'SCRAM-SHA-512', username: 'shop', password: 'secret' };
  t.like(await connectionOptions(kafka), {
    bootstrapBrokers: ['kafka.example:9092'],
    tls: { ca: 'authority', cert: 'chain', key: 'key' },
    tlsServerName: true,
    sasl: sasl as object,
  });
  await writeFile(join(folder, 'password'), 'next');
  t.like(await connectionOptions(kafka), { sasl: { ...sasl, password: 'next' } as object });
  const plain = await connectionOptions(await sectionOf(''));
  t.false('tls' in plain || 'sasl' in plain);
  t.like(await connectionOptions(await sectionOf(', tls: {}')), { tlsServerName: true });
  await rm(join(folder, 'ca.pem'));
  await t.throwsAsync(() => connectionOptions(kafka), { code: 'ENOENT' });
});
