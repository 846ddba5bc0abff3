/** Incoming and refused events. */

import test from 'ava';
import { findViolations } from '../support/browser.ts';
import type { Fixture } from '../support/fixture.ts';

export function testEvents(fixture: Fixture): void {
  test.serial('shows, opens and filters incoming events', async (t) => {
    const { page, troubles, goTo } = fixture.shared;
    const send = (device_id: string, event_type: string) =>
      fixture.send('POST', '/demo/events', {
        events: [
          { event_type, device_id, page_type: 'detail', action_item: 'leather-trail-boots-resoleable' },
        ],
      });
    await goTo('/demo/events');
    await page.getByText('Live', { exact: true }).waitFor();
    await send('first-watched', 'detail_pageview');
    const row = page.getByRole('button', { name: /detail pageview first-watched Leather trail boots/ });
    await row.waitFor();
    await row.focus();
    await page.keyboard.press('Enter');
    await page.getByText('"device_id": "first-watched"').waitFor();
    await page.getByText('Paused while a row is open').waitFor();
    t.deepEqual(await findViolations(page), []);
    await page.keyboard.press('Enter');
    await page.getByLabel('User or device').fill('second-watched');
    await page.getByText('No matching events').waitFor();
    await send('second-watched', 'add_to_cart');
    await page.getByRole('button', { name: /add to cart second-watched/ }).waitFor();
    t.regex(page.url(), /visitor=second-watched/);
    t.deepEqual(troubles, []);
  });

  test.serial('shows a refused event with its reason, without the user', async (t) => {
    const { page, goTo } = fixture.shared;
    await goTo('/demo/events?view=refused');
    await page.getByText('No refused events').waitFor();
    await fixture.send('POST', '/demo/events', {
      events: [{ event_type: 'page_visit', user_id: 'secret-user' }],
    });
    await page.getByText('Is required for page_visit').waitFor();
    await page.getByRole('button', { name: /page visit/ }).click();
    await page.getByText('"event_type": "page_visit"').waitFor();
    t.is(await page.getByText('secret-user').count(), 0);
    t.deepEqual(await findViolations(page), []);
  });
}
