/** The options of every command that calls the service. */

import { type Command, Option } from 'commander';

export type ConnectionOptions = {
  /** Base URL of the HTTP interface. */
  url: string;
  /** HOST:PORT of the gRPC port; without it, the HTTP interface tells the port. */
  address?: string;
  credentials?: string;
  clientId?: string;
  clientSecret?: string;
  /** An access token of an external issuer, instead of a client's credentials. */
  token?: string;
  tls?: boolean;
  /** Path of a PEM file. */
  ca?: string;
};

export type EnvironmentOptions = ConnectionOptions & { environment: string };

export function withConnection(command: Command): Command {
  const address = new Option(
    '--address <host:port>',
    'gRPC address, if the service does not return it (default: from --url)',
  );
  return withHttp(command)
    .addOption(address.env('PERSONALISATION_ADDRESS'))
    .option('--tls', 'use TLS; implied by an https URL')
    .option('--ca <file>', 'trust this PEM certificate; implies --tls');
}

/** Adds the address of the HTTP interface and the credentials. PORT names a service on this machine. */
export function withHttp(command: Command): Command {
  const url = new Option('--url <url>', 'address of the service: base URL of its HTTP interface');
  return command
    .addOption(url.env('PERSONALISATION_URL').default(`http://localhost:${process.env.PORT ?? 8080}/api`))
    .option(
      '--credentials <file>',
      'JSON file with client_id and client_secret (default: admin-credentials.json of the data directory)',
    )
    .option('--client-id <id>', 'instead of the file [PERSONALISATION_CLIENT_ID]')
    .option('--client-secret <secret>', 'secret of --client-id [PERSONALISATION_CLIENT_SECRET]')
    .option('--token <token>', 'an access token, instead of credentials [PERSONALISATION_TOKEN]');
}
