/** Calls of the service within a time. */

export class PersonalisationError extends Error {
  override readonly name = 'PersonalisationError';
  /** A name of the contract, e.g. `BODY_INVALID`. */
  readonly reason: string;
  /** 0 when there was no answer. */
  readonly status: number;

  constructor(reason: string, status: number, message: string) {
    super(message);
    this.reason = reason;
    this.status = status;
  }

  /** Not the caller's fault; it may work later. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 408 || this.status === 429 || this.status >= 500;
  }
}

export type CallOptions = {
  /** Milliseconds for the whole call. */
  timeoutMs: number;
  signal?: AbortSignal;
  /** The request goes on when the page is left; its body is at most 64 KiB. */
  keepalive?: boolean;
};

/**
 * A body without a type is JSON to the service, and a page of another origin may send it without asking first (a "simple"
 * request of the Fetch standard), which saves a round trip.
 */
export const jsonBody = (value: unknown): Blob => new Blob([JSON.stringify(value)]);

/** The answer's body. Rejects with a PersonalisationError, or with the signal's reason. */
export async function post<Body>(
  url: string,
  value: unknown,
  { timeoutMs, signal, keepalive }: CallOptions,
): Promise<Body> {
  const giveUp = new AbortController();
  const timer = setTimeout(() => giveUp.abort(), timeoutMs);
  const abort = () => giveUp.abort();
  signal?.addEventListener('abort', abort);
  try {
    signal?.throwIfAborted();
    const body = jsonBody(value);
    const response = await fetch(url, { method: 'POST', body, keepalive, signal: giveUp.signal });
    if (!response.ok) throw await toError(response);
    const text = await response.text();
    return (text ? JSON.parse(text) : undefined) as Body;
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof PersonalisationError) throw error;
    const reason = giveUp.signal.aborted ? 'DEADLINE_EXCEEDED' : 'UNAVAILABLE';
    throw new PersonalisationError(reason, 0, `No answer: ${error}`);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

/** The last segment of a problem's `type` is its reason. */
async function toError(response: Response): Promise<PersonalisationError> {
  const problem = await response.json().catch(() => ({}));
  const reason = /\w+$/.exec(problem.type ?? '')?.[0].toUpperCase() ?? 'UNAVAILABLE';
  return new PersonalisationError(reason, response.status, problem.detail ?? response.statusText);
}
