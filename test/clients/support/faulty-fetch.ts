/** A fetch with faults: requests that never arrive, and lost answers. */

/** The outcome of a request; with `lost` the service handles it and the answer is lost. */
export type Fault = 'none' | 'unreachable' | 'lost' | 'silent' | 'unavailable' | 'stale token';

export type FaultyFetch = {
  fetch: typeof fetch;
  /** Names of the called methods, in order. */
  calls: string[];
};

/** @param faultOf Returns the fault of a request by its method and the number of earlier calls. */
export function createFaultyFetch(faultOf: (method: string, callCount: number) => Fault): FaultyFetch {
  const calls: string[] = [];
  return {
    calls,
    fetch: async (input, init) => {
      const method = new URL(String(input)).pathname.split('/').at(-1)!;
      const fault = faultOf(method, calls.filter((called) => called === method).length);
      calls.push(method);
      return await answer(fault, input, init);
    },
  };
}

async function answer(fault: Fault, input: string | URL | Request, init?: RequestInit): Promise<Response> {
  if (fault === 'unreachable') throw new TypeError('fetch failed');
  if (fault === 'unavailable') return new Response('', { status: 503 });
  if (fault === 'silent') return await neverAnswer(init!.signal!);
  if (fault === 'stale token') {
    const headers = new Headers(init?.headers);
    headers.set('authorization', 'Bearer stale');
    return await fetch(input, { ...init, headers });
  }
  const response = await fetch(input, init);
  if (fault === 'none') return response;
  await response.arrayBuffer();
  throw new TypeError('the connection was closed');
}

/** Rejects like an aborted `fetch`. */
function neverAnswer(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason));
  });
}
