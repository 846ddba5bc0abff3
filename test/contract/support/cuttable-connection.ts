/** A way to the database that can be taken away: a port that passes bytes on until it is cut. */

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Connection } from '../../../src/repository/database.ts';

export type CuttableConnection = {
  /** The same database through the port. */
  reach(connection: Connection): Promise<Connection>;
  /** Ends all connections; new ones are refused. */
  cut(): void;
};

export function createCuttableConnection(): CuttableConnection {
  const sockets = new Set<Socket>();
  let target: Connection;
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
    return socket;
  };
  const server = createServer((incoming) => {
    const outgoing = keep(connectTo(target));
    keep(incoming).pipe(outgoing).pipe(incoming);
    incoming.on('close', () => outgoing.destroy());
  });
  return {
    async reach(connection) {
      target = connection;
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      return { ...connection, host: '127.0.0.1', port: (server.address() as AddressInfo).port };
    },
    cut() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** The embedded server listens on a socket in the folder that stands for its host. */
function connectTo({ host, port }: Connection): Socket {
  return host.startsWith('/') ? connect(join(host, `.s.PGSQL.${port}`)) : connect(port, host);
}
