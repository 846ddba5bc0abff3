/**
 * Authenticates callers: the first step of the chain that every call passes. `admit` checks the
 * headers before the body is read. `enter` checks the environment, which some requests name in
 * their body.
 *
 * operation without a scope: allowed; credentials are ignored (the token endpoint reads its own)
 * public scope, no credentials: allowed
 * credentials: must be valid, on public operations too, else UNAUTHENTICATED
 * no credentials: UNAUTHENTICATED
 * scope missing: SCOPE_MISSING; public operations need none
 * write key: only if the operation allows one, only from its origins
 *
 * Known callers are admitted without waiting; see jwt/verifier.ts and client-cache.ts for how long.
 */
import { DomainError } from '../errors.ts';
import type { CallCredentials, Caller } from './caller.ts';
import type { ClientCache, KnownClient } from './client-cache.ts';
import { type Credential, readCredential, unauthenticated } from './credentials.ts';
import type { Tokens } from './jwt/tokens.ts';
import { peerKey } from './limits/peers.ts';
import { createSlowLane } from './limits/slow-lane.ts';
import { type Access, nameScope, permits, permitsSomewhere, type Reach, splitScope } from './scopes.ts';
import { isWriteKeyId } from './secrets/identifiers.ts';

/** Requirements of an operation, from its proto options. */
export type Need = {
  /** An area of scopes.ts; `any` for a token of any scope; empty for public operations. */
  scope: string;
  /** `publish` means `edit` where changes need no approval. */
  access: Access;
  writeKeyAllowed: boolean;
  /** Whether a token is required even if the scope is public [false]. */
  neverPublic?: boolean;
  /** Whether calls without a token are admitted, and the handler decides what they may see [false]. */
  tokenOptional?: boolean;
};

export type Authenticator = {
  /** Sets `call.caller`. Rejects callers without access to any environment. */
  admit(call: CallCredentials & { caller?: Caller }, need: Need): Promise<void>;
  /** @throws unless the caller may call there, or in the whole deployment if undefined. */
  enter(call: { caller?: Caller }, need: Need, environment: string | undefined): void;
  /** Returns where the caller, admitted before, may call. */
  reachOf(call: { caller?: Caller }, need: Need): Reach;
  /** Rejects if the caller's client was disabled during a long call; tokens may expire. */
  remain(call: { caller?: Caller }): Promise<void>;
  /** @throws unless the caller has the scope for `subject`, even where operations are public. */
  require(call: { caller?: Caller }, scope: FieldScope, environment: string): void;
};

/** `access` is that of the operation [read]. */
type FieldScope = { area: string; subject: string; access?: Access };

export type AuthenticatorOptions = {
  /** Scopes with operations that need no token (`authentication.public_operations`). */
  publicScopes: Iterable<string>;
  /** Environments, and whether their changes need approval. */
  environments: ReadonlyMap<string, { needsApproval: boolean }>;
  tokens: Pick<Tokens, 'peek' | 'verify' | 'hasOurClients'>;
  clients: ClientCache;
  elapsedMs: () => number;
};

/**
 * Failures allowed for each peer, since a refused credential costs a signature check or a database
 * read. Beyond them, unknown credentials are verified one at a time; known ones pass.
 */
const failures = { perSecond: 200, burst: 1000, maxBytes: 4 * 1024 * 1024 };

/** Maximum characters of an Origin header that an error repeats. */
const longestShown = 256;

const admitted = Promise.resolve();

export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { tokens, clients, environments, elapsedMs } = options;
  const publicScopes = new Set(options.publicScopes);
  const slowLane = createSlowLane({ ...failures, elapsedMs });

  /** Returns a known caller without waiting. Invalid credentials are detected in `find`. */
  function peek({ kind, value }: Credential, origin: string | undefined): Caller | undefined {
    if (kind === 'write_key') return writeKeyCaller(clients.peek(value), origin);
    const caller = tokens.peek(value);
    if (!caller || !tokens.hasOurClients) return caller;
    return currentCaller(caller, clients.peek(caller.clientId));
  }

  async function find({ kind, value }: Credential, origin: string | undefined): Promise<Caller | undefined> {
    if (kind === 'write_key') {
      return isWriteKeyId(value) ? writeKeyCaller(await clients.find(value), origin) : undefined;
    }
    const caller = await tokens.verify(value);
    if (!caller || !tokens.hasOurClients) return caller;
    return currentCaller(caller, await clients.find(caller.clientId, caller.session));
  }

  async function identify(credential: Credential, { peer, origin }: CallCredentials): Promise<Caller> {
    const caller = await slowLane.run(peerKey(peer), () => find(credential, origin));
    if (caller) return caller;
    throw unauthenticated(refusals[credential.kind]);
  }

  const { accessIn, reachedBy } = createApproval(environments);
  const isOpen = (it: Need) =>
    it.scope === '' || it.tokenOptional || (!it.neverPublic && publicScopes.has(it.scope));
  const admit: Authenticator['admit'] = (call, need) => {
    if (need.scope === '') return admitted;
    const isPublic = isOpen(need);
    const credential = readCredential(call);
    if (!credential && isPublic) return admitted;
    if (!credential) throw unauthenticated(refusals.none);
    const authorise = (caller: Caller) => {
      call.caller = caller;
      if (!isPublic) checkSomeScope(caller, need);
    };
    const caller = peek(credential, call.origin);
    if (!caller) return identify(credential, call).then(authorise);
    authorise(caller);
    return admitted;
  };

  return {
    admit: (call, need) => rejecting(() => admit(call, need)),
    enter({ caller }, need, environment) {
      if (isOpen(need)) return;
      if (!caller) throw unauthenticated(refusals.none);
      const access = accessIn(need, environment);
      checkScope(caller, { mayCall: mayUse(caller, need), area: need.scope, access }, environment);
    },
    reachOf({ caller }, need) {
      if (isOpen(need)) return 'everywhere';
      return caller && mayUse(caller, need) ? reachedBy(caller, need) : [];
    },
    async remain(call) {
      const { caller } = call;
      if (!caller || (caller.kind === 'confidential' && !tokens.hasOurClients)) return;
      call.caller = currentCaller(caller, await clients.find(caller.clientId, caller.session));
      if (!call.caller) throw unauthenticated(refusals.disabled);
    },
    require: requireScope,
  };
}

/** Runs work that may throw before its first wait. */
function rejecting(work: () => Promise<void>): Promise<void> {
  try {
    return work();
  } catch (error) {
    return Promise.reject(error);
  }
}

/** Access that operations need where changes need approval, and elsewhere. */
function createApproval(environments: AuthenticatorOptions['environments']) {
  const needsApproval = (environment: string | undefined) =>
    environment === undefined
      ? [...environments.values()].some((one) => one.needsApproval)
      : environments.get(environment)?.needsApproval === true;
  const accessIn = ({ access }: Need, environment: string | undefined): Access =>
    access === 'publish' && !needsApproval(environment) ? 'edit' : access;
  const reachedBy = ({ scopes }: Caller, need: Need): Reach => {
    const allows = (environment?: string) =>
      permits(scopes, need.scope, environment, accessIn(need, environment));
    if (allows(undefined)) return 'everywhere';
    const named = scopes.map((scope) => splitScope(scope)[1]).filter((place) => place !== '*');
    return [...new Set([...named, ...environments.keys()])].filter(allows);
  };
  return { accessIn, reachedBy };
}

const requireScope: Authenticator['require'] = (
  { caller },
  { area, subject, access = 'read' },
  environment,
) => {
  const scope = nameScope(area, environment);
  if (!caller) throw unauthenticated(`${subject} needs an access token with the scope ${scope}.`);
  checkScope(caller, { mayCall: caller.kind === 'confidential', area, access, subject }, environment);
};

const refusals = {
  none: 'This operation needs an access token; send it as `Authorization: Bearer ACCESS_TOKEN`.',
  token: 'The access token is malformed, expired, revoked or not signed by a trusted key; get a new one.',
  write_key: 'There is no such write key, or it is disabled.',
  disabled: 'The client was disabled, or the session ended, during this call.',
};

function isEnabled(known: KnownClient | undefined): boolean {
  return known?.client !== undefined && known.client.disabledAt === undefined;
}

/**
 * Returns the caller as it is now: a person has the present roles, whatever the token says, as long
 * as the session lasts. Undefined for a client that is gone.
 */
function currentCaller(caller: Caller, known: KnownClient | undefined): Caller | undefined {
  if (!isEnabled(known)) return undefined;
  const { kind, scopes, session } = known!.client!;
  if (kind !== 'person') return caller;
  return session === caller.session ? { ...caller, scopes } : undefined;
}

/** Returns undefined for an unknown or disabled key. @throws ORIGIN_NOT_ALLOWED */
function writeKeyCaller(known: KnownClient | undefined, origin: string | undefined): Caller | undefined {
  const client = isEnabled(known) ? known!.client! : undefined;
  if (client?.kind !== 'write_key') return undefined;
  const { clientId, kind, scopes, origins } = client;
  if (origin === undefined || !origins.includes(origin)) throw originNotAllowed(clientId, origin);
  return { clientId, kind, scopes };
}

function originNotAllowed(clientId: string, origin = ''): DomainError {
  const shown = origin.slice(0, longestShown);
  const page = shown === '' ? 'a call without an Origin header' : `pages of ${shown}`;
  return new DomainError('ORIGIN_NOT_ALLOWED', `The write key may not be used by ${page}.`, {
    metadata: { client_id: clientId, origin: shown },
  });
}

function mayUse({ kind }: Caller, { writeKeyAllowed }: Need): boolean {
  return kind === 'confidential' || writeKeyAllowed;
}

/** Checks that the caller has the scope anywhere; `enter` checks the environment. */
function checkSomeScope(caller: Caller, need: Need): void {
  const mayCall = mayUse(caller, need);
  const access = need.access === 'publish' ? 'edit' : need.access;
  if (!mayCall || (need.scope !== 'any' && !permitsSomewhere(caller.scopes, need.scope, access)))
    checkScope(caller, { mayCall, area: need.scope, access }, undefined);
}

/** `mayCall`: whether credentials of the caller's kind are allowed. */
type Wanted = { mayCall: boolean; area: string; access: Access; subject?: string };

function checkScope(
  caller: Caller,
  { mayCall, area, access, subject = 'This operation' }: Wanted,
  environment: string | undefined,
): void {
  if (mayCall && (area === 'any' || permits(caller.scopes, area, environment, access))) return;
  const scope = nameScope(area, environment);
  const lack = mayCall ? `needs the scope ${scope}` : `needs an access token with the scope ${scope}`;
  throw new DomainError('SCOPE_MISSING', `${subject} ${lack}.`, {
    metadata: { client_id: caller.clientId, scope },
  });
}
