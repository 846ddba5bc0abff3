/**
 * Sign-in with an OpenID Connect provider: `/console/sign-in` leads to it, and it leads back to
 * `/console/signed-in`. A cookie of this browser holds what the answer must fit, and afterwards why
 * the sign-in failed.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { DomainError } from '../../errors.ts';
import { toDomainError } from '../../handlers/chain/errors.ts';
import { isSecure, type Peers } from '../peer-address.ts';
import { createCookie, createSessionCookie } from './cookie.ts';

export type ProviderSignIn = {
  /** Name for the sign-in page. */
  name: string;
  handles(path: string): boolean;
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Returns why the sign-in of this browser has just failed. */
  refusalOf(request: IncomingMessage): string | undefined;
};

export type ProviderOptions<Pending> = {
  peers: Peers;
  name: string;
  /** Seconds until the cookie of the session expires. */
  lifetimeSeconds: number;
  /** Address of `/console/signed-in` [by the request]. */
  redirectUri?: string;
  begin(redirectUri: string): Promise<{ address: URL; pending: Pending }>;
  /** Returns an access token. @throws DomainError with a message for the person. */
  finish(address: URL, pending: Pending): Promise<string>;
};

type State<Pending> = { pending?: Pending; page?: string; refusal?: string };

const paths = { begin: '/console/sign-in', end: '/console/signed-in' };
const pendingSeconds = 600;
/** Until the sign-in page has read it. */
const refusalSeconds = 30;
const longestPage = 1_000;

export function createProviderSignIn<Pending>(options: ProviderOptions<Pending>): ProviderSignIn {
  const { peers, name, lifetimeSeconds, begin, finish } = options;
  const session = createSessionCookie(peers);
  const cookie = createCookie(peers, 'console_sign_in', 'Lax');
  const read = (request: IncomingMessage): State<Pending> => decode(cookie.read(request));
  const write = (request: IncomingMessage, state: State<Pending>, seconds: number) =>
    cookie.write(request, Buffer.from(JSON.stringify(state)).toString('base64url'), seconds);
  const redirectUriOf = (request: IncomingMessage) =>
    options.redirectUri ??
    `${isSecure(peers, request) ? 'https' : 'http'}://${request.headers.host}${paths.end}`;

  async function start(request: IncomingMessage, { searchParams }: URL): Promise<Answer> {
    const { address, pending } = await begin(redirectUriOf(request));
    const page = searchParams.get('page')?.slice(0, longestPage);
    return { location: address.href, cookies: [write(request, { pending, page }, pendingSeconds)] };
  }

  async function end(request: IncomingMessage, { search }: URL): Promise<Answer> {
    const { pending, page = '' } = read(request);
    if (!pending) throw new DomainError('CLIENT_INVALID', expired);
    const token = await finish(new URL(search, redirectUriOf(request)), pending);
    const cookies = [session.write(request, token, lifetimeSeconds), cookie.write(request, '', 0)];
    return { location: pageOf(page), cookies };
  }

  return {
    name,
    handles: (path) => path === paths.begin || path === paths.end,
    refusalOf: (request) => read(request).refusal,
    async handle(request, response) {
      const url = new URL(request.url ?? '', 'http://console');
      const { location, cookies } = await (url.pathname === paths.begin ? start : end)(request, url).catch(
        (error: unknown) => {
          const refusal = { refusal: toDomainError(error).message };
          return { location: './', cookies: [write(request, refusal, refusalSeconds)] };
        },
      );
      response.writeHead(303, { location, 'set-cookie': cookies, 'cache-control': 'no-store' }).end();
    },
  };
}

const expired = 'The sign-in took longer than ten minutes, or began in another browser. Try again.';

type Answer = { location: string; cookies: string[] };

function decode<Pending>(text = ''): State<Pending> {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString()) ?? {};
  } catch {
    return {};
  }
}

/** Returns the address of a page of the console, relative to the paths here; the first page for any other. */
function pageOf(text: string): string {
  const base = new URL('http://console/console/');
  const url = URL.parse(text, base.href);
  const isPage = url?.origin === base.origin && url.pathname.startsWith(base.pathname);
  return isPage ? `./${url.pathname.slice(base.pathname.length)}${url.search}` : './';
}
