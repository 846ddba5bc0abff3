/** A cookie of the console: HttpOnly, and for its paths only. */

import type { IncomingMessage } from 'node:http';
import { isSecure, type Peers } from '../peer-address.ts';

export type Cookie = {
  read(request: IncomingMessage): string | undefined;
  /** Returns a `Set-Cookie` header. A cookie set over TLS is sent over TLS only. */
  write(request: IncomingMessage, value: string, seconds: number): string;
};

/** @param sameSite Lax for a cookie that a page of another site leads back with. */
export function createCookie(peers: Peers, base: string, sameSite: 'Strict' | 'Lax'): Cookie {
  /** Ports share cookies, so that the name tells two services on one host apart. */
  const nameOf = ({ headers }: IncomingMessage): string => {
    const [, port] = /:(\d{1,5})$/.exec(headers.host ?? '') ?? [];
    return port === undefined ? base : `${base}_${port}`;
  };
  return {
    read(request) {
      const prefix = `${nameOf(request)}=`;
      const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim());
      return pairs.find((pair) => pair.startsWith(prefix))?.slice(prefix.length) || undefined;
    },
    /** Without a path, it is sent to the console alone. */
    write(request, value, seconds) {
      const attributes = `Max-Age=${seconds}; HttpOnly; SameSite=${sameSite}`;
      return `${nameOf(request)}=${value}; ${attributes}${isSecure(peers, request) ? '; Secure' : ''}`;
    },
  };
}

export const createSessionCookie = (peers: Peers): Cookie => createCookie(peers, 'console_session', 'Strict');
