/**
 * The console's session, which survives reloads.
 *
 * The access token is in the page's memory and in a cookie: HttpOnly, SameSite=Strict, and for the
 * paths of the console only. Operations accept `Authorization` alone and ignore the cookie, so other
 * pages cannot act in a signed-in browser. A page that loads requests the token here.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { DomainError } from '../../errors.ts';
import { httpStatusOf, toDomainError } from '../../handlers/chain/errors.ts';
import { send } from '../gateway/http-answer.ts';
import { readText } from '../gateway/http-body.ts';
import { type Peers, peerOf } from '../peer-address.ts';
import { createSessionCookie } from './cookie.ts';
import type { ProviderSignIn } from './provider.ts';

export type SessionHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** The client or person of a token. */
export type Holder = { clientId: string; name?: string; scopes: readonly string[] };

/** A person's password and code, or the password that the link of an invitation sets. */
type PersonCredentials =
  | { email: string; password: string; code?: string }
  | { link: string; password: string };

export type SessionOptions = {
  peers: Peers;
  /** Seconds until a cookie expires; its token may expire earlier. */
  lifetimeSeconds: number;
  /** Name of an external issuer; its tokens are presented directly. */
  issuer?: string;
  /** Sign-in of people besides passwords. */
  provider?: Pick<ProviderSignIn, 'name' | 'refusalOf'>;
  /** @throws CLIENT_INVALID or RATE_LIMITED. */
  exchange(credentials: { clientId: string; clientSecret: string }, peer: string): Promise<string>;
  /** Returns undefined if a code is needed. @throws CLIENT_INVALID, BODY_INVALID or RATE_LIMITED. */
  signIn(credentials: PersonCredentials, peer: string): Promise<string | undefined>;
  /** Returns the credentials for a code that was printed at the start; undefined for an invalid code. */
  redeem(code: string, peer: string): Promise<{ clientId: string; clientSecret: string } | undefined>;
  /** @throws UNAUTHENTICATED. */
  identify(token: string, peer: string): Promise<Holder>;
};

const limits = { maxBytes: 16 * 1024, timeoutMs: 10_000 };
const json = { 'content-type': 'application/json' };

export function createSessionHandler(options: SessionOptions): SessionHandler {
  const { peers, lifetimeSeconds, issuer, provider, identify } = options;
  const cookie = createSessionCookie(peers);

  const open = async (request: IncomingMessage, response: ServerResponse) => {
    const peer = peerOf(peers, request);
    const token = await tokenOf(readSignIn(await readText(request, limits)), peer, options);
    if (token === undefined) return send(response, 200, JSON.stringify({ code_needed: true }), json);
    const body = JSON.stringify(describe(token, await identify(token, peer)));
    send(response, 200, body, { ...json, 'set-cookie': cookie.write(request, token, lifetimeSeconds) });
  };

  /** Answers without a token when no client is signed in. */
  const read = async (request: IncomingMessage, response: ServerResponse) => {
    const token = cookie.read(request);
    const holder = token && (await identify(token, peerOf(peers, request)).catch(() => undefined));
    const ways = { issuer, provider: provider?.name, refusal: provider?.refusalOf(request) };
    send(response, 200, JSON.stringify(holder ? describe(token, holder) : ways), json);
  };

  return async (request, response) => {
    try {
      checkOrigin(request);
      if (request.method === 'POST') await open(request, response);
      else if (request.method === 'GET') await read(request, response);
      else if (request.method === 'DELETE')
        send(response, 200, '{}', { ...json, 'set-cookie': cookie.write(request, '', 0) });
      else {
        response.setHeader('allow', 'GET, POST, DELETE');
        throw new DomainError('METHOD_NOT_ALLOWED', 'Use GET, POST or DELETE.');
      }
    } catch (thrown) {
      const error = toDomainError(thrown);
      send(
        response,
        httpStatusOf(error.reason),
        JSON.stringify({ reason: error.reason, detail: error.message }),
        json,
      );
    }
  };
}

/** Refuses requests from pages of other sites, by the header that browsers send. */
function checkOrigin({ headers }: IncomingMessage): void {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    throw new DomainError('ORIGIN_NOT_ALLOWED', 'Only pages of the console may use sessions.');
}

type SignIn = {
  [Name in
    | 'client_id'
    | 'client_secret'
    | 'code'
    | 'access_token'
    | 'email'
    | 'one_time_code'
    | 'invitation'
    | 'password']?: string;
};

function readSignIn(text: string): SignIn {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && Object.values(body).every(isText)) return body;
  } catch {
    /** Reported below. */
  }
  throw new DomainError('BODY_NOT_JSON', 'Send a JSON object of texts.');
}

const isText = (value: unknown) => typeof value === 'string';

async function tokenOf(
  body: SignIn,
  peer: string,
  { exchange, redeem, signIn }: SessionOptions,
): Promise<string | undefined> {
  const { email, invitation: link, password = '', one_time_code: code } = body;
  if (body.access_token) return body.access_token;
  if (link) return signIn({ link, password }, peer);
  if (email) return signIn({ email, password, code }, peer);
  if (!body.code)
    return exchange({ clientId: body.client_id ?? '', clientSecret: body.client_secret ?? '' }, peer);
  const credentials = await redeem(body.code, peer);
  if (credentials) return exchange(credentials, peer);
  throw new DomainError(
    'CLIENT_INVALID',
    'This link was used already or is from an earlier start. Restart the service to print a new link.',
  );
}

function describe(token: string, { clientId, name, scopes }: Holder) {
  return { access_token: token, client_id: clientId, name, scopes };
}
