/** Listening ports: opening them, tracking their connections, and limiting the connections of one peer. */

import type { AddressInfo, Server, Socket } from 'node:net';
import type { Peers } from './peer-address.ts';

export type ConnectionBounds = {
  /** Further connections of a peer are closed. */
  perPeer: number;
  /** Trusted proxies are exempt: their connections carry the calls of many peers. */
  peers: Pick<Peers, 'isProxy'>;
  /** Maps an address to the key under which its connections are counted. */
  keyOf(address: string): string;
};

/** Opens a port and returns its number. @param host Address to listen at [all interfaces]. */
export function listen(server: Server, port: number, host?: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host }, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

export function limitConnections(server: Server, { perPeer, peers, keyOf }: ConnectionBounds): void {
  const openCounts = new Map<string, number>();
  server.prependListener('connection', (socket: Socket) => {
    const address = socket.remoteAddress;
    if (address === undefined || peers.isProxy(address)) return;
    const key = keyOf(address);
    const count = (openCounts.get(key) ?? 0) + 1;
    if (count > perPeer) return void socket.destroy();
    openCounts.set(key, count);
    socket.once('close', () => {
      const left = openCounts.get(key)! - 1;
      if (left > 0) openCounts.set(key, left);
      else openCounts.delete(key);
    });
  });
}

/** Returns the open connections, those without a completed TLS handshake included. */
export function openSocketsOf(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    if (socket.destroyed) return;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
}
