/** Adds a token to each call, and renews it once when the service refuses it. */

import type { Interceptor } from '@connectrpc/connect';
import type { AccessTokens } from './access-token.ts';
import { toPersonalisationError } from './errors.ts';

export function createAuthorizeInterceptor(tokens: AccessTokens): Interceptor {
  return (next) => async (request) => {
    const token = await orAborted(tokens.get(), request.signal);
    request.header.set('authorization', `Bearer ${token}`);
    /** A consumed stream cannot be sent again. */
    if (request.stream) return next(request);
    try {
      return await next(request);
    } catch (thrown) {
      if (toPersonalisationError(thrown).reason !== 'UNAUTHENTICATED') throw thrown;
      /** The call was refused before any work, so even a call that is not idempotent may be repeated. */
      tokens.discard(token);
      request.header.set('authorization', `Bearer ${await orAborted(tokens.get(), request.signal)}`);
      return next(request);
    }
  };
}

/** Aborts waiting for the token; other calls keep waiting for it. */
function orAborted<Value>(waiting: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    waiting.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
