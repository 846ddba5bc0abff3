/** The options of every command that calls the service. */

import type { Command } from 'commander';

export type ConnectionOptions = {
  /** HOST:PORT of the gRPC port. */
  address: string;
  credentials?: string;
  clientId?: string;
  clientSecret?: string;
  /** An access token of an external issuer, instead of a client's credentials. */
  token?: string;
  tls?: boolean;
  /** Path of a PEM file. */
  ca?: string;
};

/** Adds where the service is, and as whom to call it. */
export function withConnection(command: Command): Command {
  const { env } = process;
  command.option(
    '--address <host:port>',
    'gRPC address [PERSONALISATION_ADDRESS]',
    env.PERSONALISATION_ADDRESS ?? 'localhost:50051',
  );
  return withClient(command)
    .option('--tls', 'speak TLS')
    .option('--ca <file>', 'trust this PEM certificate; implies --tls');
}

/** Adds as whom to call. */
export function withClient(command: Command): Command {
  return command
    .option(
      '--credentials <file>',
      'JSON file with client_id and client_secret (default: admin-credentials.json of the data directory)',
    )
    .option('--client-id <id>', 'instead of the file [PERSONALISATION_CLIENT_ID]')
    .option('--client-secret <secret>', 'beside --client-id [PERSONALISATION_CLIENT_SECRET]')
    .option('--token <token>', 'an access token, instead of credentials [PERSONALISATION_TOKEN]');
}
