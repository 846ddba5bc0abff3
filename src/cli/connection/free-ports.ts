/** Whether the ports of a service are free, asked before a database is made for nothing. */

import { once } from 'node:events';
import { createServer } from 'node:net';

export type Ports = { port: number; grpcPort: number; adminPort?: number };

const flags: Record<keyof Ports, string> = {
  port: '--port (PORT)',
  grpcPort: '--grpc-port (GRPC_PORT)',
  adminPort: '--admin-port (ADMIN_PORT)',
};

/** @throws With the flag that names another port. */
export async function checkPorts(ports: Ports): Promise<void> {
  const owners = new Map<number, string>();
  for (const name of Object.keys(flags) as (keyof Ports)[]) {
    const [port, flag] = [ports[name], flags[name]];
    if (!port) continue;
    const owner = owners.get(port);
    if (owner !== undefined)
      throw new Error(`Port ${port} is that of ${owner} already. Choose another one with ${flag}.`);
    owners.set(port, flag);
    await checkPort(port, flag);
  }
}

async function checkPort(port: number, flag: string): Promise<void> {
  const server = createServer();
  try {
    server.listen(port);
    await once(server, 'listening');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === 'EADDRINUSE' ? 'somebody else has it already' : message;
    throw new Error(`Port ${port} cannot be opened: ${why}. Choose another one with ${flag}.`);
  }
  server.close();
  await once(server, 'close');
}
