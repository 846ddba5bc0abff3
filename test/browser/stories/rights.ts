/** Clients with few scopes. */

import test, { type ExecutionContext } from 'ava';
import type { Locator, Page, Response } from 'playwright-core';
import { type ConsolePage, findViolations } from '../support/browser.ts';
import type { Fixture } from '../support/fixture.ts';

type Guarded = ConsolePage & {
  /** Paths of calls that the service refused with 403. */
  refusals: string[];
};

/** Opens the console as a new client with the scopes. */
export async function openAs(t: ExecutionContext, fixture: Fixture, scopes: string[]): Promise<Guarded> {
  const { baseUrl } = fixture.service;
  const client = await fixture.makeClient(scopes);
  const opened = await fixture.fresh(t, { signsIn: false });
  await opened.page.context().request.post(new URL('/console/session', baseUrl).href, {
    data: { client_id: client.clientId, client_secret: client.clientSecret },
  });
  const refusals: string[] = [];
  const listen = (answer: Response) => {
    if (answer.status() === 403) refusals.push(new URL(answer.url()).pathname);
  };
  opened.page.on('response', listen);
  t.teardown(() => void opened.page.off('response', listen));
  return { ...opened, refusals };
}

const boots = 'catalogue/item/leather-trail-boots-resoleable';

type Visit = [path: string, landmark: (page: Page) => Locator];

/** Pages that the scopes are sufficient for, with an element of each. */
const walks: [scopes: string[], visits: Visit[]][] = [
  [
    ['configurations:demo'],
    [
      ['', (page) => page.getByRole('link', { name: 'watch' })],
      ['configurations/shop', (page) => page.getByLabel('Rule set JSON')],
      ['configurations/own', (page) => page.getByText('New', { exact: true })],
      ['search?q=boots', (page) => page.getByRole('heading', { name: 'Live synonyms' })],
    ],
  ],
  [
    ['configurations:*', 'items:demo'],
    [
      ['', (page) => page.getByRole('link', { name: 'watch' })],
      ['configurations/shop', (page) => page.getByLabel('Rule set JSON')],
      ['configurations/home/simulation', (page) => page.getByText('No simulation yet')],
      [boots, (page) => page.getByLabel('Item JSON')],
    ],
  ],
  [
    ['items:demo', 'explanations:demo'],
    [[boots, (page) => page.getByRole('region', { name: 'Related items' }).getByRole('link').first()]],
  ],
  [
    ['admin:demo'],
    [
      ['search?q=boots', (page) => page.getByRole('heading', { name: 'Query interpretation' })],
      ['search?view=queries', (page) => page.getByRole('combobox', { name: 'Show' })],
    ],
  ],
  [['audiences:demo'], [['audiences/new', (page) => page.getByText('Add at least one item')]]],
  [['recommendations:demo'], [['batches/new', (page) => page.getByRole('button', { name: 'Add a list' })]]],
];

export function testRights(fixture: Fixture): void {
  testNothingOffered(fixture);
  testSharedLinks(fixture);
  testMeasures(fixture);
  testWhatIsMissing(fixture);
  for (const [scopes, visits] of walks) {
    test.serial(`a client with ${scopes.join(' and ')} gets no refusal on its pages`, async (t) => {
      const { page, refusals, visit } = await openAs(t, fixture, scopes);
      for (const [path, landmark] of visits) {
        await visit(`/demo/${path}`);
        await landmark(page).waitFor();
        await page.waitForLoadState('networkidle');
        t.deepEqual([path, ...refusals, ...(await page.getByRole('alert').allInnerTexts())], [path]);
        const explains = scopes.includes('admin:demo');
        const playground = page.getByRole('navigation').getByRole('link', { name: 'Playground' });
        t.is(await playground.count(), Number(explains));
      }
    });
  }
}

function testNothingOffered(fixture: Fixture): void {
  test.serial('a client without pages sees an explanation', async (t) => {
    const { page, visit } = await openAs(t, fixture, ['events:demo']);
    await visit('');
    await page.getByText('This client has no access to the console in demo').waitFor();
    t.deepEqual(await findViolations(page), []);
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByLabel('Client id').waitFor();
  });
}

function testSharedLinks(fixture: Fixture): void {
  test.serial('a link outside the scopes shows an explanation and no other content', async (t) => {
    const { page, visit } = await openAs(t, fixture, ['metrics:demo']);
    await visit('/demo/people?kind=user&id=anna');
    await page.getByText('This client has no access to People in demo').waitFor();
    t.deepEqual(await findViolations(page), []);
    await page.getByRole('navigation').getByRole('link', { name: 'Overview' }).click();
    await page.getByText('Page views').waitFor();
    await visit('/elsewhere/metrics');
    await page.getByText('This client has no access to an environment elsewhere').waitFor();
    t.regex(page.url(), /\/elsewhere\/metrics$/);
    t.deepEqual(await findViolations(page), []);
    await page.getByRole('link', { name: 'Go to demo' }).click();
    await page.getByText('Page views').waitFor();
  });
}

function testMeasures(fixture: Fixture): void {
  test.serial('offers all metrics to a client of one environment', async (t) => {
    const { page, refusals, visit } = await openAs(t, fixture, ['metrics:demo']);
    await visit('/demo/metrics');
    await page.getByRole('combobox', { name: 'Metric' }).click();
    await page.getByRole('option', { name: 'Revenue', exact: true }).click();
    await page.waitForURL(/metric=revenue/);
    t.deepEqual(refusals, []);
  });
}

function testWhatIsMissing(fixture: Fixture): void {
  test.serial('a form explains a missing scope, and hides choices that would be empty', async (t) => {
    const audiences = await openAs(t, fixture, ['audiences:demo']);
    await audiences.visit('/demo/audiences/new');
    await audiences.page.getByLabel('Add an item').click();
    await audiences.page.getByText('Searching items needs the scope items.').waitFor();
    const batches = await openAs(t, fixture, ['recommendations:demo']);
    await batches.visit('/demo/batches/new');
    const who = batches.page.getByRole('radiogroup', { name: 'Recipients' });
    await who.getByText('Recently active').waitFor();
    t.is(await who.getByRole('radio', { name: 'An audience' }).count(), 0);
    t.deepEqual([...audiences.refusals, ...batches.refusals], []);
  });
}
