/** Sign-in with an OpenID Connect provider, in a real browser. */

import test, { type ExecutionContext } from 'ava';
import { createPeopleCalls } from '../contract/support/people.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { startProvider } from '../support/oidc-provider.ts';
import { shopDeployment, startTestService } from '../support/service.ts';
import { testedBrowser } from '../support/tested-browser.ts';
import { findViolations, openConsole } from './support/browser.ts';

const accounts = {
  olga: { email: 'olga@shop.example', email_verified: true },
  stranger: { email: 'stranger@shop.example', email_verified: true },
};

const browser = testedBrowser();
const service = forAllTests('the service', async (t) => {
  const provider = await startProvider(accounts);
  t.teardown(provider.stop);
  const started = await startTestService(t, provider.settings + shopDeployment);
  await provider.serve(new URL('/console/signed-in', started.baseUrl).href);
  return started;
});

/** Signs in at the provider's pages. */
async function signInAs(t: ExecutionContext, login: string) {
  const opened = await openConsole(t, browser, service, { signsIn: false });
  const { page, visit } = opened;
  await visit('/shop/configurations?view=calendar');
  await page.getByRole('link', { name: 'Sign in with Example' }).waitFor();
  t.deepEqual(await findViolations(page), []);
  await page.getByRole('link', { name: 'Sign in with Example' }).click();
  await page.getByPlaceholder('Enter any login').fill(login);
  await page.getByPlaceholder('and password').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
  return opened;
}

test('an invited person signs in, sees the environment of the role, and signs out', async (t) => {
  await createPeopleCalls(service).invite('olga@shop.example', 'viewer:shop');
  const { page } = await signInAs(t, 'olga');
  await page.getByRole('button', { name: 'Account Name of olga@shop.example' }).waitFor();
  t.regex(page.url(), /\/console\/shop\/configurations\?view=calendar$/);
  await page.getByText('View only. To change rule sets in shop, you need the role editor.').waitFor();
  await page.getByRole('combobox', { name: 'Environment' }).click();
  t.deepEqual(await page.getByRole('option').allTextContents(), ['shop']);
  await page.keyboard.press('Escape');
  await page.reload();
  await page.getByRole('button', { name: 'Account Name of olga@shop.example' }).click();
  await page.getByRole('menuitem', { name: 'Your account' }).click();
  await page.getByText('You have no password. You sign in with OpenID Connect.').waitFor();
  t.deepEqual(await findViolations(page), []);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Account Name of olga@shop.example' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('link', { name: 'Sign in with Example' }).waitFor();
});

test('a person who is not invited reads why', async (t) => {
  const { page } = await signInAs(t, 'stranger');
  await page.getByRole('alert').getByText('There is no invitation for stranger@shop.example.').waitFor();
  t.deepEqual(await findViolations(page), []);
});
