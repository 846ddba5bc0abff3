/** Checks the table of docs/security.md: every operation refuses every unauthorised caller on every transport. */

import { readFileSync } from 'node:fs';
import { create, type DescField, type DescMethod, getOption, hasOption } from '@bufbuild/protobuf';
import { Code, ConnectError, type Transport } from '@connectrpc/connect';
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from '@connectrpc/connect-node';
import test, { type ExecutionContext } from 'ava';
import {
  field as fieldOption,
  operation as operationOption,
} from '../../gen/es/personalisation/rest/v1/options_pb.js';
import { routes } from '../../gen/rest/routes.ts';
import { services } from '../../gen/rest/services.ts';
import { accessOf } from '../../src/handlers/chain/admission.ts';
import { createKeyRing } from '../../src/security/jwt/key-ring.ts';
import { createTokens } from '../../src/security/jwt/tokens.ts';
import { scopeAreas } from '../../src/security/scopes.ts';
import { createSigningKeyStore } from '../../src/security/stores.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { createClients } from './support/clients.ts';
import { type ErrorDetail, failed } from './support/rpc.ts';
import { testedService } from './support/tested-service.ts';

type Row = {
  rpc: string;
  field?: string;
  scope: string;
  access: string;
  isPublic: boolean;
  takesWriteKey: boolean;
};

const line = /^\| `(\w+\/\w+)`(?: with `(\w+)`)? \| (.+?) \| .+ \|$/gm;

function readTable(): Row[] {
  const text = readFileSync(new URL('../../docs/security.md', import.meta.url), 'utf8');
  return Array.from(text.matchAll(line), ([, rpc, field, callers]) => ({
    rpc,
    field,
    scope: /^`(\w+)`/.exec(callers)?.[1] ?? '',
    access: / \((edit|publish)\)/.exec(callers)?.[1] ?? 'read',
    isPublic: callers === 'any' || callers.endsWith(', public'),
    takesWriteKey: callers === 'any' || callers.endsWith(', write key'),
  }));
}

const rows = readTable();
const methods = services.flatMap(({ methods }) => methods);
const nameOf = ({ parent, name }: DescMethod) => `${parent.name}/${name}`;
const scopeOf = (field: DescField) =>
  hasOption(field, fieldOption) ? getOption(field, fieldOption).scope : '';

const service = testedService();
const origin = 'https://shop.example';
const transports: Record<string, Transport> = forAllTests('the transports', () => ({
  gRPC: createGrpcTransport({ baseUrl: `http://${service.grpcAddress}` }),
  Connect: createConnectTransport({ baseUrl: service.origin, httpVersion: '1.1' }),
  'gRPC-Web': createGrpcWebTransport({ baseUrl: service.origin, httpVersion: '1.1' }),
}));

type Credentials = { authorization?: string; origin?: string };

/** Tokens of one client by their scopes, and credentials that are no longer valid. */
async function createCredentials() {
  const clients = createClients(service);
  const keys = await createKeyRing({ store: createSigningKeyStore(service.database), elapsedMs: () => 0 });
  const issue = async (clientId: string, scopes: string[], clock = Date.now) => {
    const grant = { clientId, scopes, lifetimeSeconds: 3_600 };
    return { authorization: `Bearer ${await createTokens({ keys, clock }).issue(grant)}` };
  };
  const { clientId } = await clients.create('admin:*');
  const gone = await clients.create('admin:*');
  await clients.disable(gone.clientId);
  const writeKey = await clients.createWriteKey({ scopes: ['events:shop'], origins: [origin] });
  const twoHoursAgo = () => Date.now() - 7_200_000;
  return {
    holding: (...scopes: string[]) => issue(clientId, scopes),
    writeKey: { authorization: `Bearer ${writeKey}`, origin },
    disabled: { authorization: gone.authorization },
    expired: await issue(clientId, ['admin:*'], twoHoursAgo),
  };
}

type Question = { method: DescMethod; field?: string; environment: string; credentials: Credentials };

const refusals = ['UNAUTHENTICATED', 'SCOPE_MISSING', 'ORIGIN_NOT_ALLOWED'];

/** `admitted` for every answer that is not a refusal of the caller. */
const verdictOf = (reason = '') => (refusals.includes(reason) ? reason : 'admitted');

async function* only<T>(message: T): AsyncIterable<T> {
  yield message;
}

async function askRpc(transport: Transport, { method, field, environment, credentials }: Question) {
  const input = create(method.input, { environment });
  const asked = method.input.fields.find(({ name }) => name === field);
  const value = asked?.fieldKind === 'list' ? [{}] : true;
  if (asked) Object.assign(input, create(method.input, { environment, [asked.localName]: value }));
  const headers = Object.entries(credentials);
  try {
    if (method.methodKind === 'unary')
      await transport.unary(method as never, undefined, undefined, headers, input);
    else {
      const answer = await transport.stream(method as never, undefined, undefined, headers, only(input));
      for await (const _ of answer.message) break;
    }
    return 'admitted';
  } catch (error) {
    const { code, details } = ConnectError.from(error);
    const { reason } = failed(details as ErrorDetail[]);
    return reason === '' ? `${Code[code]} without a reason` : verdictOf(reason);
  }
}

async function askHttp({ method, environment, credentials }: Question): Promise<string | undefined> {
  const route = routes.find(({ operation }) => operation === `${method.parent.typeName}/${method.name}`);
  if (!route) return undefined;
  const path = route.path.replace('{environment}', environment).replaceAll(/\{\w+\}/g, 'x');
  const headers: Record<string, string> = { 'content-type': 'application/json', ...credentials };
  const query = route.path.includes('{environment}') ? '' : `?environment=${environment}`;
  const response = await fetch(`${service.baseUrl}${path}${query}`, {
    method: route.httpMethod,
    headers,
    body: route.body === '' ? undefined : '{}',
  });
  const problem = (await response.json().catch(() => ({}))) as { type?: string };
  return verdictOf(problem.type?.split('/').at(-1)?.toUpperCase());
}

/** HTTP/1.1 cannot carry a stream both ways; Connect answers 505 to one. */
const isServed = (name: string, { methodKind }: DescMethod) =>
  name === 'gRPC' || methodKind !== 'bidi_streaming';

async function isAnswered(t: ExecutionContext, who: string, verdict: string, question: Question) {
  for (const [name, transport] of Object.entries(transports)) {
    const expected = isServed(name, question.method) ? verdict : 'Unknown without a reason';
    t.is(await askRpc(transport, question), expected, `${who}, over ${name}`);
  }
  if (question.field !== undefined) return;
  const overHttp = await askHttp(question);
  t.true(overHttp === undefined || overHttp === verdict, `${who}, over HTTP: ${overHttp}`);
}

const credentials = forAllTests('the credentials', createCredentials);

const allBut = (...areas: string[]) =>
  scopeAreas.filter((area) => area !== 'admin' && !areas.includes(area)).map((area) => `${area}:*`);

const hasScope = (scope: string) => scope !== '' && scope !== 'any';

test('every operation and every field with a scope has a row that equals the proto', (t) => {
  const declared = methods.flatMap((method) => {
    const { scope, writeKey, neverPublic } = getOption(method, operationOption);
    const isUsuallyPublic = scope === '' || scope === 'recommendations' || scope === 'searches';
    const isPublic = isUsuallyPublic && !neverPublic;
    const takesWriteKey = writeKey || scope === '';
    const access = hasScope(scope) ? accessOf(method.name, getOption(method, operationOption)) : 'read';
    const operation = { rpc: nameOf(method), field: undefined, scope, access, isPublic, takesWriteKey };
    const fields = method.input.fields.filter((field) => scopeOf(field) !== '');
    const own = { ...operation, isPublic: false, takesWriteKey: false };
    return [operation, ...fields.map((field) => ({ ...own, field: field.name, scope: scopeOf(field) }))];
  });
  const byName = (a: Row, b: Row) => (`${a.rpc} ${a.field}` < `${b.rpc} ${b.field}` ? -1 : 1);
  t.deepEqual(rows.toSorted(byName), declared.toSorted(byName));
});

test('only request fields have scopes of their own', (t) => {
  const requests = new Set(methods.map(({ input }) => input.typeName));
  const messages = methods.flatMap(({ parent }) => parent.file.messages);
  const others = messages.filter(({ typeName }) => !requests.has(typeName));
  t.deepEqual(
    others.filter(({ fields }) => fields.some((field) => scopeOf(field) !== '')),
    [],
  );
});

for (const { rpc, field, scope, access, isPublic, takesWriteKey } of rows) {
  const title = field === undefined ? rpc : `${rpc} with ${field}`;
  const callers = scope === '' ? 'any' : isPublic ? 'no invalid token' : `the scope ${scope}`;
  test(`${title} is for ${callers}, over every transport`, async (t) => {
    const method = methods.find((method) => nameOf(method) === rpc)!;
    const hasEnvironment = method.input.fields.some(({ name }) => name === 'environment');
    const environment = 'shop';
    const ask = (who: string, verdict: string, credentials: Credentials, where = environment) =>
      isAnswered(t, who, verdict, { method, field, environment: where, credentials });
    const otherwise = (refusal: string) => (isPublic ? 'admitted' : refusal);
    const elsewhere = `${scope}:${hasEnvironment ? 'news' : 'shop'}`;
    if (scope === 'any') {
      await ask('a token of some scope', 'admitted', await credentials.holding('items:news'));
    } else if (scope !== '') {
      const others = allBut(scope);
      /** Its handler checks the environments that the request concerns. */
      const { anyEnvironment } = getOption(method, operationOption);
      await ask(
        'a token of another environment',
        anyEnvironment && !hasEnvironment ? 'admitted' : otherwise('SCOPE_MISSING'),
        await credentials.holding(elsewhere, ...others),
      );
      await ask(
        'a token of all other scopes',
        otherwise('SCOPE_MISSING'),
        await credentials.holding(...others),
      );
      await ask(
        'a token of the scope',
        'admitted',
        await credentials.holding(`${scope}:*`, ...others),
        'nowhere',
      );
      await ask(
        'a token for reading',
        access === 'read' ? 'admitted' : otherwise('SCOPE_MISSING'),
        await credentials.holding(`${scope}.read:*`),
      );
      await ask('a token of admin', 'admitted', await credentials.holding('admin:*'), 'nowhere');
    }
    await ask('nobody', otherwise('UNAUTHENTICATED'), {});
    await ask('a write key', takesWriteKey ? 'admitted' : otherwise('SCOPE_MISSING'), credentials.writeKey);
    const dead = scope === '' ? 'admitted' : 'UNAUTHENTICATED';
    await ask('a disabled client', dead, credentials.disabled);
    await ask('an expired token', dead, credentials.expired);
  });
}
