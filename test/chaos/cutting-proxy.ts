/** Stands between the nodes and the database, and can cut connections in the middle of an answer. */

import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export type CuttingProxy = {
  port: number;
  /** From now on each answer is cut with this probability, somewhere in it; 0 ends it. */
  cut(share: number): void;
  close(): void;
};

export async function startCuttingProxy(
  socketPath: () => string,
  happens: (share: number) => boolean,
): Promise<CuttingProxy> {
  let share = 0;
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const target = connect(socketPath());
    const end = () => {
      client.destroy();
      target.destroy();
      open.delete(client);
    };
    open.add(client);
    for (const socket of [client, target]) socket.on('error', end).on('close', end);
    client.on('data', (bytes) => void target.write(bytes));
    target.on('data', (bytes) => {
      if (!happens(share)) return void client.write(bytes);
      client.write(bytes.subarray(0, bytes.length / 2), end);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    cut(next) {
      share = next;
    },
    close() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}
