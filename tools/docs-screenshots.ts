/** `npm run docs:screenshots`: makes the pictures of docs/console.md afresh, on the demo, in a real browser. */

import { mkdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openConsole } from '../test/browser/support/browser.ts';
import { startBrowser } from '../test/support/browser.ts';
import { startTestService } from '../test/support/service.ts';

const folder = resolve(import.meta.dirname, '../docs/pictures');

/** Larger ones make a repository heavy. */
const mostBytes = 150_000;

type Picture = {
  name: string;
  path: string;
  /** A button that is pressed first. */
  press?: string;
  landmark: string;
  colorScheme?: 'light' | 'dark';
};

const pictures: Picture[] = [
  { name: 'overview', path: 'overview', landmark: 'Page views' },
  {
    name: 'playground',
    path: 'playground?kind=user&visitor=anna&configuration=home',
    landmark: 'Simulate a click',
  },
  {
    name: 'compare',
    path: 'playground?kind=user&visitor=anna&compare=1&kind2=user&visitor2=chloe',
    landmark: 'One column',
    colorScheme: 'dark',
  },
  { name: 'editor', path: 'configurations/shop?kind=user&visitor=anna', landmark: 'Simulate a click' },
  { name: 'search', path: 'search?q=trial shoes&kind=user&visitor=anna', landmark: 'Some words' },
  { name: 'catalogue', path: 'catalogue', landmark: '400 found' },
  {
    name: 'audience',
    path: 'audiences/new?name=Boots&hold=20&items=item%2Fleather-trail-boots-resoleable',
    press: 'Build audience',
    landmark: 'Export control group',
  },
  { name: 'events', path: 'events', landmark: 'Live' },
  { name: 'metrics', path: 'metrics?metric=pageviews&by=page_type', landmark: 'Peak' },
];

const tidies: (() => unknown)[] = [];
const t = { teardown: (tidy: () => unknown) => void tidies.push(tidy) };
const [service, browser] = await Promise.all([
  startTestService(t, 'demo', { trains: true }),
  startBrowser('system'),
]);
mkdirSync(folder, { recursive: true });
for (const { name, path, press, landmark, colorScheme = 'light' } of pictures) {
  const { page, visit } = await openConsole(t, browser, service, {
    colorScheme,
    viewport: { width: 1280, height: 800 },
  });
  await visit(`/demo/${path}`);
  if (press) await page.getByRole('button', { name: press }).click();
  await page.getByText(landmark).first().waitFor();
  await page.waitForLoadState('networkidle');
  const file = join(folder, `${name}.jpg`);
  await page.screenshot({ path: file, type: 'jpeg', quality: 84 });
  const { size } = statSync(file);
  if (size > mostBytes) throw new Error(`${name}.jpg has ${size} bytes, more than ${mostBytes}.`);
  console.log(`docs/pictures/${name}.jpg ${size}`);
}
for (const tidy of tidies.toReversed()) await tidy();
await browser.close();
