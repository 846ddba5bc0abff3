/** Calls of the service with the session's token. */

import { Code, ConnectError, type Interceptor, type Transport } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-web';
import { t } from '../texts/texts.ts';
import { translateFailure } from './reachability.ts';
import { settings } from './settings.ts';

export type Connection = {
  transport: Transport;
  /** Calls a documented JSON path. Rejects with a ConnectError, like the other calls. */
  fetchJson(path: string, init?: RequestInit): Promise<{ body: unknown; etag: number | undefined }>;
};

/**
 * @param accessToken Returns the current token, which changes when the client signs in again.
 * @param onSignedOut Receives a token that the service rejected.
 */
export function createConnection(
  accessToken: () => string,
  onSignedOut: (accessToken: string) => void,
): Connection {
  const authorise: Interceptor = (next) => async (request) => {
    const token = accessToken();
    request.header.set('authorization', `Bearer ${token}`);
    try {
      return await next(request);
    } catch (error) {
      if (ConnectError.from(error).code === Code.Unauthenticated) onSignedOut(token);
      throw translateFailure(error);
    }
  };
  return {
    transport: createConnectTransport({
      baseUrl: location.origin + settings.prefix,
      interceptors: [authorise],
    }),
    async fetchJson(path, init = {}) {
      const token = accessToken();
      const headers = { ...init.headers, authorization: `Bearer ${token}` };
      const response = await fetch(`${settings.basePath}${path}`, { ...init, headers }).catch((error) => {
        throw translateFailure(error);
      });
      const text = await response.text();
      if (response.status === 401) onSignedOut(token);
      if (!response.ok) throw problemError(response.status, readProblem(text));
      const body = text === '' ? undefined : JSON.parse(text);
      return { body, etag: readEtag(response.headers.get('etag')) };
    },
  };
}

/** Problem document of the JSON paths; `violations` are its `errors`. */
export class ProblemError extends ConnectError {
  violations: { pointer: string; detail: string }[] = [];
}

const codes: Record<number, Code> = {
  400: Code.InvalidArgument,
  401: Code.Unauthenticated,
  403: Code.PermissionDenied,
  404: Code.NotFound,
  412: Code.Aborted,
  429: Code.ResourceExhausted,
  502: Code.Unavailable,
  503: Code.Unavailable,
  504: Code.Unavailable,
};

/** Other statuses map to a fault of the client or of the server. */
const codeOf = (status: number): Code =>
  codes[status] ?? (status < 500 ? Code.FailedPrecondition : Code.Internal);

type Problem = { detail?: string; errors?: { pointer: string; detail: string }[] };

/** Undefined for an answer of a proxy, which is not JSON. */
function readProblem(text: string): Problem | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function problemError(status: number, body: Problem | undefined): ProblemError {
  const error = new ProblemError(
    body?.detail ?? t('The service answered {status}.', { status }),
    codeOf(status),
  );
  error.violations = body?.errors ?? [];
  return error;
}

function readEtag(header: string | null): number | undefined {
  const [, version] = /^"?(\d+)"?$/.exec(header ?? '') ?? [];
  return version === undefined ? undefined : Number(version);
}
