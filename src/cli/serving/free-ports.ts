/** Checks that the ports of a service are free, before a database is created in vain. */

import { once } from 'node:events';
import { createServer } from 'node:net';

export type Ports = { port: number; grpcPort: number; adminPort?: number };

const flags: Record<keyof Ports, string> = {
  port: '--port (PORT)',
  grpcPort: '--grpc-port (GRPC_PORT)',
  adminPort: '--admin-port (ADMIN_PORT)',
};

/** @param host Undefined for all interfaces. @throws With the option for another port. */
export async function checkPorts(ports: Ports, host?: string): Promise<void> {
  const owners = new Map<number, string>();
  for (const name of Object.keys(flags) as (keyof Ports)[]) {
    const [port, flag] = [ports[name], flags[name]];
    const hostOfPort = name === 'adminPort' ? undefined : host;
    /** Port 0 takes any free port; only its address can be wrong. */
    if (port === undefined || (port === 0 && hostOfPort === undefined)) continue;
    const owner = port === 0 ? undefined : owners.get(port);
    if (owner !== undefined)
      throw new Error(`Port ${port} is already that of ${owner}. Choose another one with ${flag}.`);
    owners.set(port, flag);
    await checkPort({ port, host: hostOfPort }, flag);
  }
}

/** Error codes of an address that this machine does not have, or of an unknown host name. */
const foreignCodes = new Set(['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN']);

async function checkPort({ port, host }: { port: number; host?: string }, flag: string): Promise<void> {
  const server = createServer();
  try {
    server.listen({ port, host });
    await once(server, 'listening');
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (foreignCodes.has(code))
      throw new Error(
        `No interface of this machine has the address ${host}. Choose another one with --host (HOST).`,
      );
    const why = code === 'EADDRINUSE' ? 'another process uses it already' : message;
    throw new Error(`Port ${port} cannot be opened: ${why}. Choose another one with ${flag}.`);
  }
  server.close();
  await once(server, 'close');
}
