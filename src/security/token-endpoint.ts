/**
 * CreateToken: OAuth 2.0 client credentials (RFC 6749, section 4.4) for an access token.
 *
 * Failures slow further attempts of the peer and for the client ID (limits/slow-lane.ts), but never
 * lock out the right secret. Failures of a client ID do not affect a peer that the client has
 * succeeded from.
 */
import { DomainError, invalid } from '../errors.ts';
import { createCache } from '../ranking/runtime/cache.ts';
import type { CallCredentials } from './caller.ts';
import type { Clients } from './clients.ts';
import { type BasicCredentials, readBasic } from './credentials.ts';
import type { OwnTokens } from './jwt/tokens.ts';
import { createGate } from './limits/gate.ts';
import { peerKey } from './limits/peers.ts';
import { createSlowLane } from './limits/slow-lane.ts';
import { createTokenBuckets } from './limits/token-buckets.ts';
import type { People, Person } from './people.ts';
import { includesScope, isScope, mostScopes } from './scopes.ts';
import type { SecondFactor } from './second-factor.ts';

export type TokenRequest = { clientId?: string; clientSecret?: string; scope?: string };

export type TokenGrant = {
  accessToken: string;
  tokenType: 'Bearer';
  expiresIn: number;
  /** Separated by spaces. */
  scope: string;
};

export type TokenEndpoint = {
  createToken(
    request: TokenRequest,
    call: Pick<CallCredentials, 'authorization' | 'peer'>,
  ): Promise<TokenGrant>;
  /** Returns the access token of a person's new session; undefined if a code is needed. @throws CLIENT_INVALID */
  signIn(credentials: PersonCredentials, peer: string): Promise<string | undefined>;
  /** Verifies a signed-in person's password, limited like sign-ins. @throws BODY_INVALID if `verify` has no result */
  prove<T>(person: Person, peer: string, verify: () => Promise<T | undefined>): Promise<T>;
  /** Returns an access token of the person's present session. */
  issue(person: Pick<Person, 'personId' | 'roles' | 'session'>): Promise<string>;
};

/** The password of an e-mail address with a code of the second factor, or the password that a link sets. */
export type PersonCredentials =
  | { email: string; password: string; code?: string }
  | { link: string; password: string };

export type TokenEndpointOptions = {
  clients: Pick<Clients, 'verifySecret'>;
  people: Pick<People, 'verifyPassword' | 'redeem'>;
  secondFactor: Pick<SecondFactor, 'spend'>;
  tokens: Pick<OwnTokens, 'issue'>;
  lifetimeSeconds: number;
  elapsedMs: () => number;
};

/** Some 20,000 peers, clients and pairs of both. */
const maxBytes = 4 * 1024 * 1024;

const failuresOfPeer = { perSecond: 0.5, burst: 30, maxBytes };
const failuresOfClient = { perSecond: 2, burst: 100, maxBytes };

/** Attempts for all clients that many peers are guessing at. */
const attemptsAtGuessed = { concurrency: 1, mostWaiting: 100 };

export function createTokenEndpoint(options: TokenEndpointOptions): TokenEndpoint {
  const { clients, people, secondFactor, tokens, lifetimeSeconds, elapsedMs } = options;
  const byPeer = createSlowLane({ ...failuresOfPeer, elapsedMs });
  const byClient = createTokenBuckets({ ...failuresOfClient, elapsedMs });
  const guessed = createGate(attemptsAtGuessed);
  const trusted = createCache<true>({ maxBytes });

  /** Verifies the credentials of an ID. @param refusal Error, or message of CLIENT_INVALID, for wrong ones. */
  async function authenticate<T>(
    id: string,
    peer: string,
    { verify, refusal }: { verify(): Promise<T | undefined>; refusal: string | DomainError },
  ): Promise<T> {
    const pair = `${id} ${peer}`;
    const isGuessedAt = !trusted.get(pair) && byClient.waitMs(id) > 0;
    const holder = await byPeer.run(peer, isGuessedAt ? () => guessed.run(verify) : verify);
    if (holder) {
      trusted.set(pair, true);
      return holder;
    }
    byClient.take(id);
    throw typeof refusal === 'string' ? clientInvalid(refusal) : refusal;
  }

  async function verifyPerson({ email, password, code }: Extract<PersonCredentials, { email: string }>) {
    const person = await people.verifyPassword(email, password);
    if (!person?.totpKey) return person;
    if (!code) return 'code needed';
    return (await secondFactor.spend(person, code)) ? person : undefined;
  }

  const issue: TokenEndpoint['issue'] = ({ personId, roles, session }) =>
    tokens.issue({ clientId: personId, scopes: roles, lifetimeSeconds, session });

  return {
    issue,
    prove: ({ email = '' }, peer, verify) =>
      authenticate(email, peerKey(peer), { verify, refusal: invalid('/password', 'Wrong password.') }),
    async createToken(request, { authorization, peer }) {
      const { clientId, clientSecret } = readClient(request, authorization);
      const client = await authenticate(clientId, peerKey(peer), {
        verify: () => clients.verifySecret(clientId, clientSecret),
        refusal: 'Wrong client ID or secret.',
      });
      const scopes = narrow(client.scopes, request.scope);
      const accessToken = await tokens.issue({ clientId: client.clientId, scopes, lifetimeSeconds });
      return { accessToken, tokenType: 'Bearer', expiresIn: lifetimeSeconds, scope: scopes.join(' ') };
    },
    async signIn(credentials, peer) {
      const { password } = credentials;
      const person = await ('link' in credentials
        ? authenticate(credentials.link, peerKey(peer), {
            verify: () => people.redeem(credentials.link, password),
            refusal: 'This link was used already or has expired. Ask for a new one.',
          })
        : authenticate(credentials.email.toLowerCase(), peerKey(peer), {
            verify: () => verifyPerson(credentials),
            refusal: `Wrong e-mail address${credentials.code ? ', password or code' : ' or password'}.`,
          }));
      return person === 'code needed' ? undefined : issue(person);
    },
  };
}

/** Creates the endpoint of a deployment with another issuer. It says where to get tokens. */
export function createForeignTokenEndpoint(issuer: string): TokenEndpoint {
  const refuse = async () => {
    const message = `This deployment does not issue access tokens; get one from ${issuer}.`;
    throw new DomainError('NOT_IMPLEMENTED', message, { metadata: { issuer } });
  };
  return { createToken: refuse, signIn: refuse, prove: refuse, issue: refuse };
}

/** Reads the client from the header or the body, not both (RFC 6749, section 2.3). */
function readClient(request: TokenRequest, authorization: string | undefined): BasicCredentials {
  const { clientId, clientSecret } = request;
  const header = readBasic(authorization);
  if (header === 'malformed')
    throw clientInvalid('The Basic header cannot be read as a client id and secret.');
  if (header) {
    if (clientSecret !== undefined)
      throw invalid('/client_secret', 'Send the secret in the header or in the body.');
    if (clientId !== undefined && clientId !== header.clientId)
      throw invalid('/client_id', 'The client id of the body is not that of the header.');
    return header;
  }
  if (!clientId)
    throw invalid('/client_id', 'Give the client id here or in an `Authorization: Basic` header.');
  if (!clientSecret)
    throw invalid('/client_secret', 'Give the secret here or in an `Authorization: Basic` header.');
  return { clientId, clientSecret };
}

/** Returns the wanted scopes, which may be narrower than the client's. */
function narrow(held: readonly string[], wanted = ''): readonly string[] {
  const scopes = [...new Set(wanted.split(' ').filter((scope) => scope !== ''))];
  if (scopes.length === 0) return held;
  if (scopes.length > mostScopes) throw invalid('/scope', `Ask for at most ${mostScopes} scopes.`);
  const lacking = scopes.find((scope) => !isScope(scope) || !includesScope(held, scope));
  if (lacking !== undefined) {
    throw invalid('/scope', `The client does not have the scope ${JSON.stringify(lacking.slice(0, 100))}.`);
  }
  return scopes;
}

function clientInvalid(message: string): DomainError {
  return new DomainError('CLIENT_INVALID', message);
}
