/** The connections of a port: which are open, and how many one peer may keep open; one more is closed as it comes. */

import type { Server, Socket } from 'node:net';
import type { Peers } from './peer-address.ts';

export type ConnectionBounds = {
  perPeer: number;
  /** A trusted proxy's connections carry the calls of many. */
  peers: Pick<Peers, 'isProxy'>;
  /** What an address counts under. */
  keyOf(address: string): string;
};

export function boundConnections(server: Server, { perPeer, peers, keyOf }: ConnectionBounds): void {
  const open = new Map<string, number>();
  server.prependListener('connection', (socket: Socket) => {
    const address = socket.remoteAddress;
    if (address === undefined || peers.isProxy(address)) return;
    const key = keyOf(address);
    const count = (open.get(key) ?? 0) + 1;
    if (count > perPeer) return void socket.destroy();
    open.set(key, count);
    socket.once('close', () => {
      const left = open.get(key)! - 1;
      if (left > 0) open.set(key, left);
      else open.delete(key);
    });
  });
}

export function openSocketsOf(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    if (socket.destroyed) return;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
}
