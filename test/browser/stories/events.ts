/** What arrives, and what is refused. */

import test from 'ava';
import { findBarriers } from '../support/browser.ts';
import type { House } from '../support/house.ts';

export function tellEvents(house: House): void {
  test.serial(
    'an event stands on the page when it arrives, is opened, and others are filtered away',
    async (t) => {
      const { page, troubles, goTo } = house.guest;
      const send = (device_id: string, event_type: string) =>
        house.send('POST', '/demo/events', {
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
      t.deepEqual(await findBarriers(page), []);
      await page.keyboard.press('Enter');
      await page.getByLabel('User or device').fill('second-watched');
      await page.getByText('No matching events').waitFor();
      await send('second-watched', 'add_to_cart');
      await page.getByRole('button', { name: /add to cart second-watched/ }).waitFor();
      t.regex(page.url(), /visitor=second-watched/);
      t.deepEqual(troubles, []);
    },
  );

  test.serial('a refused event stands there with its reason, without whose it was', async (t) => {
    const { page, goTo } = house.guest;
    await goTo('/demo/events?view=refused');
    await page.getByText('No refused events').waitFor();
    await house.send('POST', '/demo/events', {
      events: [{ event_type: 'page_visit', user_id: 'secret-user' }],
    });
    await page.getByText('Is required for page_visit').waitFor();
    await page.getByRole('button', { name: /page visit/ }).click();
    await page.getByText('"event_type": "page_visit"').waitFor();
    t.is(await page.getByText('secret-user').count(), 0);
    t.deepEqual(await findBarriers(page), []);
  });
}
