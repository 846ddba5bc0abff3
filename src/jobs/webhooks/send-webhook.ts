/** Sends one message to a receiver as by Standard Webhooks 1.0. Redirects are not followed. */

import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { Webhook as Signer } from 'standardwebhooks';
import type { WebhookDelivery } from '../../repository/changes/webhooks.ts';
import type { ReceiverAddresses } from './receiver-address.ts';

export type WebhookMessage = {
  url: string;
  /** Active secrets (`whsec_…`), each of which signs. */
  secrets: readonly string[];
  changeId: string;
  kind: string;
  /** A CloudEvent in JSON. */
  body: string;
};

export type SendWebhook = (message: WebhookMessage, signal?: AbortSignal) => Promise<WebhookDelivery>;

/** For the connection and the head of the answer. */
const timeoutMs = 10_000;
/** Characters of a stored error. */
const longestError = 300;

export type SendWebhookOptions = {
  addresses: ReceiverAddresses;
  /** Milliseconds since the epoch. */
  clock: () => number;
};

/** Never rejects: a failure is part of the delivery. */
export function createSendWebhook({ addresses, clock }: SendWebhookOptions): SendWebhook {
  return async (message, signal) => {
    const { url, secrets, changeId, kind, body } = message;
    const attemptedAtMs = clock();
    const startMs = performance.now();
    const signatures = secrets.map((secret) =>
      new Signer(secret).sign(changeId, new Date(attemptedAtMs), body),
    );
    const headers = {
      'content-type': 'application/cloudevents+json; charset=utf-8',
      'content-length': String(Buffer.byteLength(body)),
      'user-agent': 'personalisation-webhooks/1',
      'webhook-id': changeId,
      'webhook-timestamp': String(Math.floor(attemptedAtMs / 1000)),
      'webhook-signature': signatures.join(' '),
    };
    const timeout = AbortSignal.timeout(timeoutMs);
    const until = signal ? AbortSignal.any([signal, timeout]) : timeout;
    const answer = await post(new URL(url), { headers, body, signal: until }, addresses).catch((error) => ({
      error: timeout.aborted ? `No answer within ${timeoutMs / 1000} seconds.` : String(error.message),
    }));
    const durationMs = Math.round(performance.now() - startMs);
    const error = 'error' in answer ? answer.error : faultOf(answer.status);
    return {
      ...{ changeId, kind, attemptedAtMs, durationMs },
      ...('status' in answer && { status: answer.status }),
      ...(error !== undefined && { error: error.slice(0, longestError) }),
    };
  };
}

function faultOf(status: number): string | undefined {
  if (status >= 200 && status < 300) return undefined;
  if (status >= 300 && status < 400) return 'The receiver redirects; redirects are not followed.';
  return status === 410 ? 'The receiver is gone (410).' : `The receiver answered with ${status}.`;
}

type Post = { headers: Record<string, string>; body: string; signal: AbortSignal };

/** Resolves with the status as soon as the head of the answer is there. Each request has its own connection. */
async function post(
  url: URL,
  { headers, body, signal }: Post,
  addresses: ReceiverAddresses,
): Promise<{ status: number }> {
  const fault = addresses.faultOf(url.href);
  if (fault !== undefined) throw new Error(fault);
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number }>();
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  const lookup = addresses.lookupFor(url.protocol);
  const request = send(url, { method: 'POST', headers, agent: false, lookup, signal }, (response) => {
    resolve({ status: response.statusCode! });
    response.destroy();
  });
  request.on('error', reject);
  request.end(body);
  return promise;
}
