/**
 * The session of the signed-in client. The token stays in memory; after a reload the server returns it, from a cookie that no
 * script can read.
 */

import { t } from '../texts/texts.ts';
import { settings } from './settings.ts';

/** The signed-in client, or a person with a name and with roles as scopes. */
export type Session = { accessToken: string; clientId: string; name?: string; scopes: string[] };

/**
 * No client is signed in. With an issuer, sign-in needs one of its access tokens. `provider` is the name of another way to
 * sign in, `refusal` why it has just failed.
 */
export type NoSession = { issuer?: string; provider?: string; refusal?: string };

export type SignIn =
  | { client_id: string; client_secret: string }
  | { email: string; password: string; one_time_code?: string }
  | { invitation: string; password: string }
  | { code: string }
  | { access_token: string };

const path = `${settings.prefix}/console/session`;

export function isSession(one: Session | NoSession): one is Session {
  return 'accessToken' in one;
}

/** Returns the code of an invitation that this address is, and hides it. */
export function takeInvitation(): string | undefined {
  const [, invitation] = /^#invitation=(.+)$/.exec(location.hash) ?? [];
  if (invitation !== undefined) history.replaceState(null, '', location.pathname + location.search);
  return invitation;
}

/** Signs in by the link that the service prints at its start, else restores the session from before the reload. */
export async function restoreSession(): Promise<Session | NoSession> {
  const [, code] = /^#code=(.+)$/.exec(location.hash) ?? [];
  if (code !== undefined) {
    history.replaceState(null, '', location.pathname + location.search);
    return signIn({ code });
  }
  const { issuer, provider, ...answer } = await ask();
  /** An invitation is for another person than the signed-in client. */
  return location.hash.startsWith('#invitation=')
    ? { issuer, provider }
    : toSession({ issuer, provider, ...answer });
}

/** Returns no session if the password needs a code, too. @throws Error with a message to show. */
export async function signIn(credentials: SignIn): Promise<Session | NoSession> {
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(credentials),
  };
  return toSession(await ask(init));
}

/** Address that leads to the provider, and back to this page. */
export function providerAddress(): string {
  const page = location.pathname.slice(`${settings.prefix}/console/`.length) + location.search;
  return `${settings.prefix}/console/sign-in?${new URLSearchParams({ page })}`;
}

export async function signOut(): Promise<void> {
  await ask({ method: 'DELETE' });
}

/** A proxy may answer in place of the service, with a page of its own. */
async function ask(init?: RequestInit): Promise<Answer> {
  const response = await fetch(path, init).catch(() => undefined);
  if (!response) throw new Error(t('The service cannot be reached. Check that it runs, then try again.'));
  const body: (Answer & { detail?: string }) | undefined = await response.json().catch(() => undefined);
  if (!response.ok)
    throw new Error(body?.detail ?? t('The service answered {status}.', { status: response.status }));
  if (!body) throw new Error(t('The answer did not come from the service. Try again in a moment.'));
  return body;
}

type Answer = Partial<Record<'access_token' | 'client_id' | 'name' | keyof NoSession, string>> & {
  scopes?: string[];
};

function toSession({ access_token, client_id, name, scopes, ...ways }: Answer): Session | NoSession {
  if (!access_token) return ways;
  return { accessToken: access_token, clientId: client_id ?? '', name, scopes: scopes ?? [] };
}
