/**
 * `npm run test:kafka -- localhost:9092`: tests topics of Kafka with an existing broker. Without an
 * address it starts Apache Kafka, whose jars come from Maven Central or MAVEN_REPOSITORY.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, join, resolve } from 'node:path';
import { type Broker, startBroker } from './kafka/broker.ts';

const root = resolve(import.meta.dirname, '..');
const [address] = process.argv.slice(2);
const broker: Broker = address ? { address, stop: async () => undefined } : await startBroker();
const path = `${join(root, 'node_modules/.bin')}${delimiter}${process.env.PATH}`;
const tests = spawn(
  process.execPath,
  ['--test', '--test-reporter=spec', join(root, 'test/kafka/topics.ts')],
  {
    cwd: root,
    env: {
      ...process.env,
      ...{ PATH: path, LIST_THREADS: '0', TEST_KAFKA: broker.address },
      TEST_KAFKA_PID: String(broker.pid ?? ''),
    },
    stdio: 'inherit',
  },
);
const [code] = await once(tests, 'close');
await broker.stop();
process.exit(code ?? 1);
