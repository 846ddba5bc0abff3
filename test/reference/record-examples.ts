/** Records the answers to the calls of the reference for `npm run record:examples`. */

import { writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { routes } from '../../gen/rest/routes.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { type ExampleCall, firstCalls, laterCalls, password } from './example-calls.ts';

export type Example = {
  parameters: Record<string, string | number>;
  body?: unknown;
  status: number;
  answer: unknown;
};

/** By name of the rpc. */
export type Examples = Record<string, Example>;

export const examplesFile = new URL('../../docs/reference/examples.json', import.meta.url);

const pauseMs = 50;

/** Values to replace, such as IDs and secrets. */
const secrets: Record<string, string> = {
  client_id: 'CLIENT_ID',
  client_secret: 'CLIENT_SECRET',
  access_token: 'ACCESS_TOKEN',
  token: 'TOKEN',
  setup_key: 'SETUP_KEY',
  setup_uri: 'otpauth://totp/Personalisation:anna%40shop.example?secret=SETUP_KEY',
  secret: 'WEBHOOK_SECRET',
  link_path: '/console/#invitation=INVITATION',
};

export async function recordExamples(service: TestService): Promise<Examples> {
  const examples: Examples = {};
  const answers = new Map<string, unknown>();
  let ofPerson = '';
  const make = async (calls: ExampleCall[]) => {
    for (const call of calls) {
      const { authorization } = service;
      const caller = { ...service, authorization: call.asPerson ? ofPerson : authorization };
      const { status, answer } = await performUntil(caller, call);
      answers.set(call.operation, answer);
      const { access_token } = answer as { access_token?: string };
      if (call.asPerson && access_token) ofPerson = `Bearer ${access_token}`;
      const { parameters = {}, body } = call;
      examples[call.operation] = hideSecrets({ parameters, body, status, answer }) as Example;
    }
  };
  await make(firstCalls(service.admin));
  ofPerson = await join(service, answers.get('InvitePerson') as { link_path: string });
  await make(laterCalls(answers));
  return examples;
}

/** Sets the password of the invited person, and returns the authorization. */
async function join({ baseUrl }: TestService, { link_path }: { link_path: string }): Promise<string> {
  const body = JSON.stringify({ invitation: link_path.split('=')[1], password });
  const answer = await fetch(new URL('/console/session', baseUrl), { method: 'POST', body });
  return `Bearer ${((await answer.json()) as { access_token: string }).access_token}`;
}

/** A failed batch never becomes done. */
async function performUntil(service: TestService, call: ExampleCall) {
  for (;;) {
    const made = await perform(service, call);
    if (call.until === undefined || call.until(made.answer)) return made;
    if (JSON.stringify(made.answer).includes('"failed"')) throw new Error(JSON.stringify(made.answer));
    await delay(pauseMs);
  }
}

async function perform({ baseUrl, authorization }: TestService, call: ExampleCall) {
  const route = routes.find(({ operation }) => operation.endsWith(`/${call.operation}`))!;
  const query = new URLSearchParams();
  let { path } = route;
  for (const [name, value] of Object.entries(call.parameters ?? {}))
    if (path.includes(`{${name}}`)) path = path.replace(`{${name}}`, encodeURIComponent(value));
    else query.set(name, String(value));
  const response = await fetch(`${baseUrl}${path}${query.size > 0 ? `?${query}` : ''}`, {
    method: route.httpMethod,
    headers: { authorization, ...(call.body !== undefined && { 'content-type': 'application/json' }) },
    body: JSON.stringify(call.body),
  });
  const isJson = /[/+]json/.test(response.headers.get('content-type') ?? 'application/json');
  const answer: unknown = isJson ? await response.json() : beginningOf(await response.text());
  return { status: response.status, answer };
}

/** The first lines of an answer in lines. */
const beginningOf = (text: string) => `${text.trimEnd().split('\n', 2).join('\n')}\n`;

function hideSecrets(value: unknown): unknown {
  const text = JSON.stringify(value, (name, part) => (typeof part === 'string' && secrets[name]) || part);
  return JSON.parse(text);
}

if (import.meta.main) {
  const tidies: (() => unknown)[] = [];
  const service = await startTestService({ teardown: (tidy) => void tidies.push(tidy) }, 'demo', {
    trains: true,
  });
  const examples = await recordExamples(service);
  writeFileSync(examplesFile, `${JSON.stringify(examples, undefined, 2)}\n`);
  for (const tidy of tidies) await tidy();
}
