/** The console of clients that may do little: what is offered works, and the rest is told. */

import test, { type ExecutionContext } from 'ava';
import type { Locator, Page, Response } from 'playwright-core';
import { type ConsolePage, findBarriers } from '../support/browser.ts';
import type { House } from '../support/house.ts';

type Guarded = ConsolePage & {
  /** Calls that the service did not allow. */
  refusals: string[];
};

/** A page of a client of its own, in the place of the one before. */
async function openAs(t: ExecutionContext, house: House, scopes: string[]): Promise<Guarded> {
  const { baseUrl } = house.service;
  const client = await house.makeClient(scopes);
  const opened = await house.newcomer(t, { signsIn: false });
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

/** What the scopes alone are enough for, and what is there then. */
const walks: [scopes: string[], visits: Visit[]][] = [
  [
    ['configurations:demo'],
    [
      ['', (page) => page.getByRole('heading', { name: 'Live synonyms' })],
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
      ['search?view=queries', (page) => page.getByText('Only without results')],
    ],
  ],
  [['audiences:demo'], [['audiences/new', (page) => page.getByText('Add at least one item')]]],
  [['recommendations:demo'], [['batches/new', (page) => page.getByRole('button', { name: 'Add a list' })]]],
];

export function tellRights(house: House): void {
  tellNothingOffered(house);
  tellSharedLinks(house);
  tellMeasures(house);
  tellWhatIsMissing(house);
  for (const [scopes, visits] of walks) {
    test.serial(`a client of ${scopes.join(' and ')} meets no refusal on its pages`, async (t) => {
      const { page, refusals, visit } = await openAs(t, house, scopes);
      for (const [path, landmark] of visits) {
        await visit(`/demo/${path}`);
        await landmark(page).waitFor();
        await page.waitForLoadState('networkidle');
        t.deepEqual([path, ...refusals, ...(await page.getByRole('alert').allInnerTexts())], [path]);
        t.is(await page.getByRole('navigation').getByRole('link', { name: 'Playground' }).count(), 0);
      }
    });
  }
}

function tellNothingOffered(house: House): void {
  test.serial('a client for which there is no page is told so', async (t) => {
    const { page, visit } = await openAs(t, house, ['events:demo']);
    await visit('');
    await page.getByText('This client has no access to the console in demo').waitFor();
    t.deepEqual(await findBarriers(page), []);
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByLabel('Client id').waitFor();
  });
}

function tellSharedLinks(house: House): void {
  test.serial(
    'a link to what a client may not see says so, and shows nothing else in its place',
    async (t) => {
      const { page, visit } = await openAs(t, house, ['metrics:demo']);
      await visit('/demo/people?kind=user&id=anna');
      await page.getByText('This client has no access to People in demo').waitFor();
      t.deepEqual(await findBarriers(page), []);
      await page.getByRole('navigation').getByRole('link', { name: 'Overview' }).click();
      await page.getByText('Page views').waitFor();
      await visit('/elsewhere/metrics');
      await page.getByText('This client has no access to an environment elsewhere').waitFor();
      t.regex(page.url(), /\/elsewhere\/metrics$/);
      t.deepEqual(await findBarriers(page), []);
      await page.getByRole('link', { name: 'Go to demo' }).click();
      await page.getByText('Page views').waitFor();
    },
  );
}

function tellMeasures(house: House): void {
  test.serial('who may read the metrics of one environment alone chooses among all measures', async (t) => {
    const { page, refusals, visit } = await openAs(t, house, ['metrics:demo']);
    await visit('/demo/metrics');
    await page.getByRole('combobox', { name: 'Metric' }).click();
    await page.getByRole('option', { name: 'Revenue', exact: true }).click();
    await page.waitForURL(/metric=revenue/);
    t.deepEqual(refusals, []);
  });
}

function tellWhatIsMissing(house: House): void {
  test.serial(
    'a form says what a client cannot pick from, and offers nothing that stays empty',
    async (t) => {
      const audiences = await openAs(t, house, ['audiences:demo']);
      await audiences.visit('/demo/audiences/new');
      await audiences.page.getByLabel('Add an item').click();
      await audiences.page.getByText('Searching items needs the scope items.').waitFor();
      const batches = await openAs(t, house, ['recommendations:demo']);
      await batches.visit('/demo/batches/new');
      const who = batches.page.getByRole('radiogroup', { name: 'Recipients' });
      await who.getByText('Recently active').waitFor();
      t.is(await who.getByRole('radio', { name: 'An audience' }).count(), 0);
      t.deepEqual([...audiences.refusals, ...batches.refusals], []);
    },
  );
}
