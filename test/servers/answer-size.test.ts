/** Answers that are too large, over each transport. */

import { fromBinary } from '@bufbuild/protobuf';
import { Metadata, type ServiceError, status } from '@grpc/grpc-js';
import test from 'ava';
import { ErrorInfoSchema, StatusSchema } from '../../gen/es/personalisation/rest/v1/status_pb.js';
import type { Call } from '../../src/handlers/chain/call.ts';
import { connectPath, itemPath, itemRequest, serveOperation } from './support/served-operation.ts';

const answerBytes = 65_536;
type Ports = Awaited<ReturnType<typeof serveOperation>>;
type Answer = { code: string; reason?: string; limit?: string };

const transports: Record<string, (ports: Ports) => Promise<Answer>> = {
  async http({ httpPort }) {
    const response = await fetch(`http://localhost:${httpPort}${itemPath}`);
    const { type } = (await response.json()) as { type?: string };
    return { code: String(response.status), reason: type?.split('/').at(-1), limit: undefined };
  },
  async connect({ httpPort }) {
    const headers = { 'content-type': 'application/json' };
    const url = `http://localhost:${httpPort}${connectPath}`;
    const response = await fetch(url, { method: 'POST', headers, body: '{}' });
    const body = (await response.json()) as { code?: string; details?: { value: string }[] };
    const value = body.details?.[0].value;
    const info = value === undefined ? undefined : fromBinary(ErrorInfoSchema, Buffer.from(value, 'base64'));
    return { code: body.code ?? 'ok', reason: info?.reason, limit: info?.metadata.limit_bytes };
  },
  grpc: ({ grpcClient }) =>
    new Promise((resolve) =>
      grpcClient().getItem(itemRequest, new Metadata(), (error: ServiceError | null) => {
        const details = error?.metadata.get('grpc-status-details-bin')[0] as Buffer | undefined;
        const [any] = details ? fromBinary(StatusSchema, details).details : [];
        const info = any && fromBinary(ErrorInfoSchema, any.value);
        const code = error ? status[error.code] : 'ok';
        resolve({ code, reason: info?.reason, limit: info?.metadata.limit_bytes });
      }),
    ),
};

const refused: Record<string, Answer> = {
  http: { code: '400', reason: 'ANSWER_TOO_LARGE', limit: undefined },
  connect: { code: 'resource_exhausted', reason: 'ANSWER_TOO_LARGE', limit: String(answerBytes) },
  grpc: { code: 'RESOURCE_EXHAUSTED', reason: 'ANSWER_TOO_LARGE', limit: String(answerBytes) },
};
const fine: Record<string, string> = { http: '200', connect: 'ok', grpc: 'ok' };

for (const [name, ask] of Object.entries(transports)) {
  test(`${name}: an answer that is too large is refused, unless it has a single stored element`, async (t) => {
    let titleBytes = answerBytes;
    let holdsOneElement = false;
    const ports = await serveOperation(t, {
      answerBytes,
      async handle(call: Call) {
        call.holdsOneElement = holdsOneElement;
        return { item: { itemType: 't', itemId: 'i', title: 'x'.repeat(titleBytes) } };
      },
    });
    t.deepEqual(await ask(ports), refused[name]);
    holdsOneElement = true;
    t.is((await ask(ports)).code, fine[name]);
    holdsOneElement = false;
    titleBytes = answerBytes - 1_000;
    t.is((await ask(ports)).code, fine[name]);
  });
}
