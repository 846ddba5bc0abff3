/** The documented HTTP paths. */

import type { Answer, Operation } from './operation.ts';

export type Problem = {
  type: string;
  title: string;
  status: number;
  detail: string;
  request_id: string;
  errors?: { pointer: string; detail: string }[];
};

/** Sends the operation as documented. */
export function request(
  baseUrl: string,
  { method, path, body }: Pick<Operation, 'method' | 'path' | 'body'>,
  authorization?: string | null,
): Promise<Response> {
  const headers: Record<string, string> = {};
  if (authorization != null) headers.authorization = authorization;
  if (body === undefined) return fetch(baseUrl + path, { method, headers });
  headers['content-type'] = 'application/json';
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return fetch(baseUrl + path, { method, headers, body: text });
}

export async function callHttp(
  baseUrl: string,
  operation: Operation,
  authorization?: string | null,
): Promise<Answer> {
  const response = await request(baseUrl, operation, authorization);
  const body = await response.json();
  const common = { status: response.status, requestId: response.headers.get('x-request-id') ?? undefined };
  if (response.ok) return { ...common, outcome: { ok: true, body } };
  const { type, errors = [] } = body as Problem;
  const reason = type.split('/').at(-1)!;
  return { ...common, outcome: { ok: false, reason, pointers: errors.map(({ pointer }) => pointer) } };
}
