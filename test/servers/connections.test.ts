import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { parseNetwork } from '../../src/deployment/networks.ts';
import { limitConnections } from '../../src/servers/connections.ts';
import { createPeers } from '../../src/servers/peer-address.ts';

/** A port that sends a greeting to accepted connections. */
async function start(t: ExecutionContext, perPeer: number, trusted: string[] = []) {
  const server = createServer((socket) => {
    if (!socket.destroyed) socket.write('welcome');
  });
  const peers = createPeers(trusted.map((network) => parseNetwork(network)!));
  limitConnections(server, { perPeer, peers, keyOf: (address) => address });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const sockets: Socket[] = [];
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return async (): Promise<{ stays: boolean; socket: Socket }> => {
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => undefined);
    const stays = await Promise.race([
      once(socket, 'data').then(() => true),
      once(socket, 'close').then(() => false),
    ]);
    return { stays, socket };
  };
}

test('a connection over the limit of a peer is closed', async (t) => {
  const open = await start(t, 3);
  const first = await open();
  t.true(first.stays);
  t.true((await open()).stays);
  t.true((await open()).stays);
  t.false((await open()).stays);
  first.socket.end();
  await once(first.socket, 'close');
  while (!(await open()).stays);
  t.false((await open()).stays);
});

test('a trusted proxy has no limit', async (t) => {
  const open = await start(t, 1, ['127.0.0.0/8']);
  for (let index = 0; index < 5; index++) t.true((await open()).stays);
});
