/** Hands that have no mouse: the focus goes where keys lead it, and nowhere else. */

import type { Locator, Page } from 'playwright-core';

/** More keys than any page needs from its beginning to its end. */
const mostKeys = 150;

/**
 * Presses a key until what is wanted has the focus.
 *
 * @param key `Tab` from one part to the next, arrows within a menu or a list.
 */
export async function reach(page: Page, wanted: Locator, key = 'Tab'): Promise<void> {
  /** To look for it at each key takes longer than the keys; it is only looked for again when another one stands in its place. */
  let found = (await wanted.elementHandle())!;
  for (let pressed = 0; pressed <= mostKeys; pressed += 1) {
    const focus = await found.evaluate((element) => {
      if (element === element.ownerDocument.activeElement) return 'here';
      return element.isConnected ? 'elsewhere' : 'gone';
    });
    if (focus === 'here') return;
    if (focus === 'gone') found = (await wanted.elementHandle())!;
    else await page.keyboard.press(key);
  }
  throw new Error(`No ${key} of ${mostKeys} leads to ${wanted}.`);
}

/** Goes to it and presses Enter. */
export async function pressOn(page: Page, wanted: Locator, key?: string): Promise<void> {
  await reach(page, wanted, key);
  await page.keyboard.press('Enter');
}
