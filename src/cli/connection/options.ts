/** The options of every command that calls the service. */

import { type Command, InvalidArgumentError, Option } from 'commander';

export type ConnectionOptions = {
  /** Base URL of the HTTP interface. */
  url: string;
  /** HOST:PORT of the gRPC port; absent, the HTTP interface tells it. */
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

/** Adds where the service is, and as whom to call it. */
export function withConnection(command: Command): Command {
  const address = new Option(
    '--address <host:port>',
    'gRPC address, where the service cannot tell it (default: what --url tells)',
  );
  return withClient(withUrl(command))
    .addOption(address.env('PERSONALISATION_ADDRESS'))
    .option('--tls', 'speak TLS; an https URL implies it')
    .option('--ca <file>', 'trust this PEM certificate; implies --tls');
}

/** Adds where the HTTP interface is. A service of this machine is found by the PORT that it was started with. */
export function withUrl(command: Command): Command {
  const url = new Option('--url <url>', 'address of the service: base URL of its HTTP interface');
  return command.addOption(
    url.env('PERSONALISATION_URL').default(`http://localhost:${process.env.PORT ?? 8080}/api`),
  );
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

/** A count of things, as a parser of an option. */
export function parseCount(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number from 1.');
}

/** ISO 8601: a month, a day, or a moment of one. */
const momentPattern =
  /^(\d{4}-\d{2})(?:(-\d{2})(?:[Tt ](\d{2})(:\d{2})?(:\d{2}(?:\.\d+)?)?([Zz]|[+-]\d{2}:?\d{2})?)?)?$/;

/** A moment, as a parser of an option; what says no offset is UTC, wherever the command runs. */
export function parseMoment(text: string): Date {
  const [, month, day = '-01', hour = '00', minute = ':00', second = ':00', offset = 'Z'] =
    momentPattern.exec(text) ?? [];
  const midnight = new Date(`${month}${day}T00:00:00Z`);
  const moment = new Date(`${month}${day}T${hour}${minute}${second}${offset.toUpperCase()}`);
  /** The language takes the 30th of February for the 2nd of March. */
  const isInCalendar =
    !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(`${month}${day}`);
  if (isInCalendar && !Number.isNaN(moment.getTime())) return moment;
  throw new InvalidArgumentError('It must be a moment such as 2026-11-20T09:30:00Z.');
}
