/** Sign-in with an OpenID Connect provider: the whole way, and answers that do not fit. */

import test, { type ExecutionContext } from 'ava';
import { forAllTests } from '../support/for-all-tests.ts';
import { type Accounts, startProvider } from '../support/oidc-provider.ts';
import { shopDeployment, startTestService } from '../support/service.ts';
import { createPeopleCalls, type Session } from './support/people.ts';

const accounts: Accounts = {
  olga: { email: 'Olga@shop.example', email_verified: true },
  imposter: { email: 'olga@shop.example', email_verified: true },
  unverified: { email: 'olga@shop.example', email_verified: false },
  stranger: { email: 'stranger@shop.example', email_verified: true },
  nameless: {},
};

/** Cookies of one browser. */
function createBrowser() {
  const jar = new Map<string, string>();
  return {
    jar,
    async go(address: string | URL, body?: Record<string, string>) {
      const cookie = Array.from(jar, (pair) => pair.join('=')).join('; ');
      const init = body && { method: 'POST', body: new URLSearchParams(body) };
      const response = await fetch(address, { redirect: 'manual', headers: { cookie }, ...init });
      for (const one of response.headers.getSetCookie()) {
        const [, name, value] = /^([^=]+)=([^;]*)/.exec(one)!;
        if (value === '') jar.delete(name);
        else jar.set(name, value);
      }
      const location = response.headers.get('location');
      return { response, next: location === null ? undefined : new URL(location, address) };
    },
  };
}

type Browser = ReturnType<typeof createBrowser>;

/** Follows the provider's pages until they lead away from it. */
async function passProvider({ go }: Browser, start: URL, login: string): Promise<URL> {
  let { response, next } = await go(start);
  for (let address = start; ; ) {
    if (next && next.origin !== start.origin) return next;
    if (next) address = next;
    const [, prompt] = next ? [] : /name="prompt" value="(\w+)"/.exec(await response.text())!;
    ({ response, next } = await go(address, prompt ? { prompt, login, password: 'any' } : undefined));
  }
}

/** A service with a provider that answers, unless it shall not. */
async function startBoth(t: Pick<ExecutionContext, 'teardown'>, answers = true) {
  const provider = await startProvider(accounts);
  t.teardown(provider.stop);
  const service = await startTestService(t, provider.settings + shopDeployment);
  const page = (path: string) => new URL(`/console/${path}`, service.baseUrl);
  if (answers) await provider.serve(page('signed-in').href);
  return { provider, service, page };
}

const both = forAllTests('a service with a provider', (t) => startBoth(t));
const calls = () => createPeopleCalls(both.service);

async function sessionOf({ go }: Browser, { page }: Pick<typeof both, 'page'> = both) {
  return (await (await go(page('session'))).response.json()) as Session & {
    provider?: string;
    refusal?: string;
  };
}

/** Signs in up to the address that the provider leads back to. */
async function comeBack(browser: Browser, login: string, page = ''): Promise<URL> {
  const { next } = await browser.go(both.page(`sign-in?${new URLSearchParams({ page })}`));
  return passProvider(browser, next!, login);
}

async function signInAs(login: string, page?: string) {
  const browser = createBrowser();
  const { response, next } = await browser.go(await comeBack(browser, login, page));
  return { browser, response, next, session: await sessionOf(browser) };
}

/** Olga is invited once, for all tests. */
test.serial.before('Olga is invited', async () => {
  await calls().invite('olga@shop.example', 'viewer:shop');
});

test('an invited person signs in by the verified address, with roles from here', async (t) => {
  t.like(await sessionOf(createBrowser()), { provider: 'Example' });
  const { next, response, session, browser } = await signInAs('olga', 'shop/metrics?view=days');
  t.is(next!.href, both.page('shop/metrics?view=days').href);
  const cookies = response.headers.getSetCookie();
  t.regex(cookies.find((one) => one.startsWith('console_session_'))!, /; HttpOnly; SameSite=Strict$/);
  t.like(session, { name: 'Name of olga@shop.example', scopes: ['viewer:shop'] });
  const olga = calls().as(`Bearer ${session.access_token}`);
  const { environments } = await olga.environments.listEnvironments({});
  t.deepEqual(
    environments.map(({ name }) => name),
    ['shop'],
  );
  t.like(await olga.account.getAccount({}), { email: 'olga@shop.example', hasPassword: false });
  t.is((await signInAs('olga')).session.client_id, session.client_id);
  const init = {
    method: 'DELETE',
    headers: { cookie: Array.from(browser.jar, (pair) => pair.join('=')).join('; ') },
  };
  const ended = await fetch(both.page('session'), init);
  t.regex(ended.headers.get('set-cookie')!, /^console_session_\d+=; Max-Age=0/);
});

const refused: [login: string, why: RegExp][] = [
  ['unverified', /Example has not verified your e-mail address/],
  ['stranger', /There is no invitation for stranger@shop\.example/],
  ['nameless', /Example told no e-mail address/],
];

for (const [login, why] of refused)
  test(`${login} gets no session, and reads why`, async (t) => {
    const { next, session } = await signInAs(login);
    t.is(next!.href, both.page('').href);
    t.regex(session.refusal!, why);
    t.is(session.access_token, undefined);
  });

test('another account of the provider with the same address is refused, until a reset', async (t) => {
  const { person } = await calls().invite('shared@shop.example', 'viewer:news');
  for (const login of ['first', 'second'])
    accounts[login] = { email: 'shared@shop.example', email_verified: true };
  t.truthy((await signInAs('first')).session.access_token);
  t.regex((await signInAs('second')).session.refusal!, /belongs to another account/);
  await calls().admin().people.resetPerson({ personId: person!.personId });
  t.truthy((await signInAs('second')).session.access_token);
});

/** Changes what the browser keeps while it is at the provider. */
function tamper({ jar }: Browser, change: (pending: Record<string, string>) => void): void {
  const [name, value] = [...jar].find(([one]) => one.startsWith('console_sign_in'))!;
  const state = JSON.parse(Buffer.from(value, 'base64url').toString());
  change(state.pending);
  jar.set(name, Buffer.from(JSON.stringify(state)).toString('base64url'));
}

const forged: Record<string, (browser: Browser, address: URL) => void> = {
  'another state': (_, address) => address.searchParams.set('state', 'x'),
  'no state': (_, address) => address.searchParams.delete('state'),
  'another issuer': (_, address) => address.searchParams.set('iss', 'https://login.example'),
  'another code': (_, address) => address.searchParams.set('code', 'x'),
  'a refusal': (_, { searchParams }) => {
    searchParams.delete('code');
    searchParams.set('error', 'access_denied');
  },
  'the nonce of another sign-in': (browser) =>
    tamper(browser, (pending) => Object.assign(pending, { nonce: 'x' })),
  'the verifier of another sign-in': (browser) =>
    tamper(browser, (pending) => Object.assign(pending, { verifier: 'x'.repeat(43) })),
  'another browser': ({ jar }) => jar.clear(),
  'a cookie that is none': ({ jar }) => {
    for (const name of jar.keys()) jar.set(name, 'bnVsbA');
  },
};

for (const [what, forge] of Object.entries(forged))
  test(`${what} opens no session`, async (t) => {
    const browser = createBrowser();
    const address = await comeBack(browser, 'olga');
    forge(browser, address);
    await browser.go(address);
    const session = await sessionOf(browser);
    t.is(session.access_token, undefined);
    t.regex(session.refusal!, /Example|Try again/);
  });

test('a code opens one session', async (t) => {
  const browser = createBrowser();
  const address = await comeBack(browser, 'olga');
  const other = createBrowser();
  for (const [name, value] of browser.jar) other.jar.set(name, value);
  for (const one of [browser, other]) await one.go(address);
  t.truthy((await sessionOf(browser)).access_token);
  t.regex((await sessionOf(other)).refusal!, /Example refused to confirm the sign-in/);
});

test('a sign-in leads to pages of the console only', async (t) => {
  for (const page of [
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '../docs',
    'javascript:alert(1)',
  ])
    t.is((await signInAs('olga', page)).next!.href, both.page('').href, page);
});

test('a provider that never answers is given up', async (t) => {
  const { page, provider } = await startBoth(t, false);
  const browser = createBrowser();
  const { next } = await browser.go(page('sign-in'));
  t.is(next!.href, page('').href);
  t.is((await sessionOf(browser, { page })).refusal, 'Example cannot be reached. Try again in a moment.');
  await provider.serve(page('signed-in').href);
  t.is((await browser.go(page('sign-in'))).next!.origin, provider.issuer);
});

test('a provider that stops during a sign-in opens no session', async (t) => {
  const { page, provider } = await startBoth(t);
  const browser = createBrowser();
  const back = await passProvider(browser, (await browser.go(page('sign-in'))).next!, 'olga');
  await provider.stop();
  await browser.go(back);
  t.is((await sessionOf(browser, { page })).refusal, 'Example cannot be reached. Try again in a moment.');
});
