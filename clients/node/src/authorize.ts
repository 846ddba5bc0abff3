/** Puts a token on each call. One that the service refuses, because its keys or the client changed, is renewed once. */

import type { Interceptor } from '@connectrpc/connect';
import type { AccessTokens } from './access-token.ts';
import { toPersonalisationError } from './errors.ts';

export function createAuthorizeInterceptor(tokens: AccessTokens): Interceptor {
  return (next) => async (request) => {
    const token = await orAborted(tokens.get(), request.signal);
    request.header.set('authorization', `Bearer ${token}`);
    /** A stream that has been read cannot be sent again. */
    if (request.stream) return next(request);
    try {
      return await next(request);
    } catch (thrown) {
      if (toPersonalisationError(thrown).reason !== 'UNAUTHENTICATED') throw thrown;
      /** Refused before anything was done, so that it may be repeated whatever it is. */
      tokens.discard(token);
      request.header.set('authorization', `Bearer ${await orAborted(tokens.get(), request.signal)}`);
      return next(request);
    }
  };
}

/** The token is for all who wait; one who gives up does not end the fetching of it. */
function orAborted<Value>(waiting: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    waiting.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
