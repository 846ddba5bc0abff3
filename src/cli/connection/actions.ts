/** Actions of commands that call the service. Their work gets the connection before the arguments of the command. */

import type { Connection } from './connect.ts';
import type { Http, HttpOptions } from './http.ts';
import type { ConnectionOptions } from './options.ts';
import { conclude, concludeInterruptible, type ExitCode } from './outcome.ts';

/** The gRPC client is loaded by the commands that call, not by those that print their help. */
async function withService(options: unknown, work: (connection: Connection) => Promise<ExitCode>) {
  const { withConnected } = await import('./connect.ts');
  return withConnected(options as ConnectionOptions, work);
}

/** Commander passes the arguments, the options and the command. */
const optionsOf = (args: readonly unknown[]): unknown => args.at(-2);

export function serviceAction<Args extends unknown[]>(
  work: (connection: Connection, ...args: Args) => Promise<ExitCode>,
) {
  return (...args: Args) =>
    conclude(() => withService(optionsOf(args), (connection) => work(connection, ...args)));
}

/** The signal is aborted when the command is interrupted. */
export function interruptibleAction<Args extends unknown[]>(
  work: (connection: Connection, signal: AbortSignal, ...args: Args) => Promise<ExitCode>,
) {
  return (...args: Args) =>
    concludeInterruptible((signal) =>
      withService(optionsOf(args), (connection) => work(connection, signal, ...args)),
    );
}

export function httpAction<Args extends unknown[]>(work: (http: Http, ...args: Args) => Promise<ExitCode>) {
  return (...args: Args) =>
    conclude(async () => {
      const { openHttp } = await import('./http.ts');
      return work(await openHttp(optionsOf(args) as HttpOptions), ...args);
    });
}
