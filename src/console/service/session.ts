/**
 * Who is signed in. The token stays in this module's memory; a reload asks the server for it, which finds it in a cookie
 * that no script can read.
 */

export type Session = { accessToken: string; clientId: string; scopes: string[] };

/** Nobody is signed in; tokens may have to come from another issuer. */
export type NoSession = { issuer?: string };

export type SignIn =
  | { client_id: string; client_secret: string }
  | { code: string }
  | { access_token: string };

const path = '/console/session';

export function isSession(one: Session | NoSession): one is Session {
  return 'accessToken' in one;
}

/** By the link that the service printed when it started, else whoever was signed in before the reload. */
export async function restoreSession(): Promise<Session | NoSession> {
  const [, code] = /^#code=(.+)$/.exec(location.hash) ?? [];
  if (code !== undefined) {
    history.replaceState(null, '', location.pathname + location.search);
    return signIn({ code });
  }
  return toSession(await ask());
}

/** Throws an error with a sentence for people. */
export async function signIn(credentials: SignIn): Promise<Session> {
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(credentials),
  };
  return toSession(await ask(init)) as Session;
}

export async function signOut(): Promise<void> {
  await ask({ method: 'DELETE' });
}

/** What stands between the page and the service answers with pages of its own, and without it nobody does. */
async function ask(init?: RequestInit): Promise<Answer> {
  const response = await fetch(path, init).catch(() => undefined);
  if (!response) throw new Error('The service cannot be reached. Check that it runs, then try again.');
  const body: (Answer & { detail?: string }) | undefined = await response.json().catch(() => undefined);
  if (!response.ok) throw new Error(body?.detail ?? `The service answered ${response.status}.`);
  if (!body) throw new Error('Something else answered in the place of the service. Try again in a moment.');
  return body;
}

type Answer = { access_token?: string; client_id?: string; scopes?: string[]; issuer?: string };

function toSession({ access_token, client_id, scopes, issuer }: Answer): Session | NoSession {
  if (!access_token) return { issuer };
  return { accessToken: access_token, clientId: client_id ?? '', scopes: scopes ?? [] };
}

/** Whether the scopes allow work in an area, in the environment or (undefined) everywhere; `admin` implies the others. */
export function permits(scopes: readonly string[], area: string, environment?: string): boolean {
  return scopes.some((scope) => {
    const [held, place] = scope.split(':');
    return (held === area || held === 'admin') && (place === '*' || place === environment);
  });
}
