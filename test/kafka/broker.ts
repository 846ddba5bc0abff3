/** A broker of Apache Kafka in KRaft mode, from the jars of a Maven repository. Needs Java 17. */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const repository = process.env.MAVEN_REPOSITORY ?? 'https://repo1.maven.org/maven2';
const cache = resolve(import.meta.dirname, '../../build/kafka');
const pathOf = (coordinates: string): string => {
  const [group, artifact, version] = coordinates.split(':');
  return `${group.replaceAll('.', '/')}/${artifact}/${version}/${artifact}-${version}.jar`;
};

export type Broker = {
  address: string /** Undefined for one that runs already. */;
  pid?: number;
  stop(): Promise<void>;
};

/** Downloads the jars once. @throws Error when the broker does not start */
export async function startBroker(): Promise<Broker> {
  const jars = readFileSync(join(import.meta.dirname, 'jars.txt'), 'utf8')
    .trim()
    .split('\n');
  const paths: string[] = [];
  for (const jar of jars) paths.push(await download(pathOf(jar)));
  const folder = await mkdtemp(join(tmpdir(), 'kafka-'));
  const [port, controllerPort] = [await freePort(), await freePort()];
  const settings = join(folder, 'server.properties');
  writeFileSync(settings, propertiesOf({ folder, port, controllerPort }));
  const classPath = paths.join(delimiter);
  const java = (main: string, ...words: string[]) => ['-Xmx512m', '-cp', classPath, main, ...words];
  const format = java('kafka.tools.StorageTool', 'format', '-t', 'MkU3OEVBNTcwNTJENDM2Qg', '-c', settings);
  execFileSync('java', format, { stdio: 'ignore' });
  const child = spawn('java', java('kafka.Kafka', settings), { stdio: ['ignore', 'ignore', 'inherit'] });
  await untilOpen(child, port);
  return {
    address: `127.0.0.1:${port}`,
    pid: child.pid,
    async stop() {
      child.kill('SIGKILL');
      if (child.exitCode === null) await once(child, 'exit');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function download(path: string): Promise<string> {
  const target = join(cache, basename(path));
  if (existsSync(target)) return target;
  const response = await fetch(`${repository}/${path}`);
  if (!response.ok) throw new Error(`${repository}/${path}: ${response.status}`);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(`${target}.part`, Buffer.from(await response.arrayBuffer()));
  renameSync(`${target}.part`, target);
  return target;
}

const propertiesOf = ({
  folder,
  port,
  controllerPort,
}: {
  folder: string;
  port: number;
  controllerPort: number;
}) => `
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:${controllerPort}
listeners=PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}
advertised.listeners=PLAINTEXT://127.0.0.1:${port}
controller.listener.names=CONTROLLER
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
log.dirs=${join(folder, 'data')}
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
group.initial.rebalance.delay.ms=0
auto.create.topics.enable=false
`;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  await new Promise((done) => server.close(done));
  return port;
}

async function untilOpen(child: ChildProcess, port: number): Promise<void> {
  while (child.exitCode === null) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return;
    await delay(200);
  }
  throw new Error(`The broker ended with exit code ${child.exitCode}.`);
}
