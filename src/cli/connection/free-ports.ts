/** Whether the ports of a service are free, asked before a database is made for nothing. */

import { once } from 'node:events';
import { createServer } from 'node:net';

export type Ports = { port: number; grpcPort: number; adminPort?: number };

const flags: Record<keyof Ports, string> = {
  port: '--port (PORT)',
  grpcPort: '--grpc-port (GRPC_PORT)',
  adminPort: '--admin-port (ADMIN_PORT)',
};

/**
 * @param host Of the HTTP and the gRPC port; undefined for all interfaces.
 * @throws With the flag that names another port or address.
 */
export async function checkPorts(ports: Ports, host?: string): Promise<void> {
  const owners = new Map<number, string>();
  for (const name of Object.keys(flags) as (keyof Ports)[]) {
    const [port, flag] = [ports[name], flags[name]];
    const hostOfPort = name === 'adminPort' ? undefined : host;
    /** Any free one will do, where the address is right. */
    if (port === undefined || (port === 0 && hostOfPort === undefined)) continue;
    const owner = port === 0 ? undefined : owners.get(port);
    if (owner !== undefined)
      throw new Error(`Port ${port} is that of ${owner} already. Choose another one with ${flag}.`);
    owners.set(port, flag);
    await checkPort({ port, host: hostOfPort }, flag);
  }
}

/** Codes of an address that is not this machine's, or of a name that is nobody's. */
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
    const why = code === 'EADDRINUSE' ? 'somebody else has it already' : message;
    throw new Error(`Port ${port} cannot be opened: ${why}. Choose another one with ${flag}.`);
  }
  server.close();
  await once(server, 'close');
}
