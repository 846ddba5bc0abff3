/**
 * API clients. A confidential client exchanges a secret for tokens. A write key is public, has no
 * secret and sends events from pages of listed origins.
 */
import { invalid, refuseInvalid } from '../errors.ts';
import type { Actor } from '../repository/audit/audit-entries.ts';
import type { ClientRow, NewClient } from '../repository/security/clients.ts';
import { createGate } from './limits/gate.ts';
import { checkOrigins } from './origins.ts';
import { checkScopes } from './scopes.ts';
import {
  type ClientCredentials,
  createCredentials,
  createWriteKeyId,
  isClientId,
} from './secrets/identifiers.ts';
import { createDecoyHash, hashSecret, matchesHash, type Origin } from './secrets/scrypt.ts';
import { createVerifiedSecrets } from './secrets/verified-secrets.ts';

export type Client = ClientRow;

export type ClientStore = {
  find(clientId: string): Promise<Client | undefined>;
  insert(client: NewClient, actor?: Actor): Promise<boolean>;
  /** Returns clients in order of creation, after a given one. */
  list(limit: number, afterClientId?: string): Promise<Client[]>;
  /** Returns false if there is no such client. Disabling twice has no effect. */
  disable(clientId: string, actor?: Actor): Promise<boolean>;
};

type Described = { name: string; scopes: readonly string[] };

export type Clients = Pick<ClientStore, 'find' | 'list' | 'disable'> & {
  /** Creates a confidential client. The secret cannot be read later. */
  createClient(client: Described, actor?: Actor): Promise<ClientCredentials>;
  /** Stores a client with given credentials; `origin` is the origin of the secret. */
  addClient(
    credentials: ClientCredentials & { origin: Origin },
    client: Described,
    actor?: Actor,
  ): Promise<void>;
  /** Creates a write key and returns it. Its scopes can only be `events:{environment}`. */
  createWriteKey(key: Described & { origins: readonly string[] }, actor?: Actor): Promise<string>;
  /** Returns the enabled confidential client; unknown ones take as long as a random secret. */
  verifySecret(clientId: string, clientSecret: string): Promise<Client | undefined>;
};

/** Leaves two of libuv's four threads to other work; a chosen secret takes 40 ms and 16 MiB. */
const hashing = { concurrency: 2, mostWaiting: 32 };

const longestName = 200;

export function createClients({ store }: { store: ClientStore }): Clients {
  const gate = createGate(hashing);
  const decoyHash = createDecoyHash();
  const verified = createVerifiedSecrets();

  async function insert(client: NewClient, actor: Actor | undefined): Promise<void> {
    if (!(await store.insert(client, actor)))
      throw new Error(`There is a client ${client.clientId} already.`);
  }

  const addClient: Clients['addClient'] = async (credentials, { name, scopes }, actor) => {
    const { clientId, clientSecret, origin } = credentials;
    const checked = { name: checkName(name), scopes: checkScopes(scopes) };
    const secretHash = await gate.run(() => hashSecret(clientSecret, origin));
    await insert({ clientId, kind: 'confidential', ...checked, secretHash, origins: [] }, actor);
    verified.add(clientId, clientSecret, secretHash);
  };

  const createWriteKey: Clients['createWriteKey'] = async ({ name, scopes, origins }, actor) => {
    const checked = {
      name: checkName(name),
      scopes: checkWriteScopes(scopes),
      origins: checkOrigins(origins),
    };
    const clientId = createWriteKeyId();
    await insert({ clientId, kind: 'write_key', ...checked }, actor);
    return clientId;
  };

  const verifySecret: Clients['verifySecret'] = async (clientId, clientSecret) => {
    const client = isClientId(clientId) ? await store.find(clientId) : undefined;
    const secretHash = client?.secretHash ?? decoyHash;
    const isKnown = verified.has(clientId, clientSecret, secretHash);
    if (!isKnown && !(await gate.run(() => matchesHash(clientSecret, secretHash)))) return undefined;
    if (!client || client.disabledAt) return undefined;
    verified.add(clientId, clientSecret, secretHash);
    return client;
  };

  return {
    addClient,
    createWriteKey,
    verifySecret,
    find: (clientId) => store.find(clientId),
    list: (limit, afterClientId) => store.list(limit, afterClientId),
    disable: (clientId, actor) => store.disable(clientId, actor),
    async createClient(client, actor) {
      const credentials = createCredentials();
      await addClient({ ...credentials, origin: 'random' }, client, actor);
      return credentials;
    },
  };
}

function checkName(name: string): string {
  if (name.trim() !== '' && name.length <= longestName) return name;
  throw invalid('/name', `Give a name of 1 to ${longestName} characters.`);
}

/** Write keys are public, so they are limited to sending events in one environment. */
function checkWriteScopes(texts: readonly string[]): string[] {
  const scopes = checkScopes(texts);
  const violations = scopes.flatMap((scope, index) =>
    /^events:[^*]/.test(scope) ? [] : [{ pointer: `/scopes/${index}`, detail: explainWriteScope(scope) }],
  );
  refuseInvalid(violations);
  return scopes;
}

function explainWriteScope(scope: string): string {
  return `A write key cannot have the scope ${scope}; it can have events:ENVIRONMENT only.`;
}
