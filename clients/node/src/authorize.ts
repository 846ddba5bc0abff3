/** Puts a token on each call. One that the service refuses, because its keys or the client changed, is renewed once. */

import type { Interceptor } from '@connectrpc/connect';
import type { AccessTokens } from './access-token.ts';
import { toPersonalisationError } from './errors.ts';

export function createAuthorizeInterceptor(tokens: AccessTokens): Interceptor {
  return (next) => async (request) => {
    const token = await tokens.get();
    request.header.set('authorization', `Bearer ${token}`);
    /** A stream that has been read cannot be sent again. */
    if (request.stream) return next(request);
    try {
      return await next(request);
    } catch (thrown) {
      if (toPersonalisationError(thrown).reason !== 'UNAUTHENTICATED') throw thrown;
      /** Refused before anything was done, so that it may be repeated whatever it is. */
      tokens.discard(token);
      request.header.set('authorization', `Bearer ${await tokens.get()}`);
      return next(request);
    }
  };
}
