/** A proxy port in front of a server that can disconnect, fall silent, or cut an answer. */

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Connection } from '../../src/repository/database.ts';

export type Relay = {
  port: number;
  /** Closes all connections; new ones are refused until it is repaired. */
  cut(): void;
  mend(): Promise<void>;
  /** Holds back all data silently until it resumes; then passes it on. */
  hold(): void;
  goOn(): void;
  close(): void;
};

export type RelayOptions = {
  /** Asked for each connection. */
  target: () => NetConnectOpts;
  /** Whether to cut the server's latest data, and close the connection [never]. */
  isAnswerCut?: () => boolean;
};

export async function startRelay({ target, isAnswerCut = () => false }: RelayOptions): Promise<Relay> {
  const open = new Set<Socket>();
  let isHeld = false;
  const keep = (socket: Socket, end: () => void) => {
    open.add(socket);
    socket.on('error', end).on('close', () => {
      open.delete(socket);
      end();
    });
    if (isHeld) socket.pause();
  };
  const server = createServer((client) => {
    const aim = connect(target());
    const end = () => {
      client.destroy();
      aim.destroy();
    };
    client.on('data', (bytes) => void aim.write(bytes));
    aim.on('data', (bytes) => {
      if (isAnswerCut()) client.write(bytes.subarray(0, bytes.length / 2), end);
      else client.write(bytes);
    });
    for (const socket of [client, aim]) keep(socket, end);
  });
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const cut = () => {
    server.close();
    for (const socket of open) socket.destroy();
  };
  return {
    port,
    cut,
    mend: () => listen(port),
    hold() {
      isHeld = true;
      for (const socket of open) socket.pause();
    },
    goOn() {
      isHeld = false;
      for (const socket of open) socket.resume();
    },
    close: cut,
  };
}

/** The address of a database server; that of the embedded one is a socket in a folder. */
export function toTarget({ host, port }: Pick<Connection, 'host' | 'port'>): NetConnectOpts {
  return host.startsWith('/') ? { path: join(host, `.s.PGSQL.${port}`) } : { host, port };
}

/** The same database through a separate relay. */
export async function relayTo(connection: Connection): Promise<{ relay: Relay; connection: Connection }> {
  const relay = await startRelay({ target: () => toTarget(connection) });
  return { relay, connection: { ...connection, host: '127.0.0.1', port: relay.port } };
}
