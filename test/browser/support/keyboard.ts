/** Keyboard navigation without a mouse. */

import type { Locator, Page } from 'playwright-core';

/** More keys than any page needs. */
const mostKeys = 150;

/**
 * Presses a key until what is wanted has the focus.
 *
 * @param key `Tab` from one part to the next, arrows within a menu or a list.
 */
export async function reach(page: Page, wanted: Locator, key = 'Tab'): Promise<void> {
  /** Looking the element up for each key would be slow; it is looked up again only after it was replaced. */
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

/** Focuses an element and presses Enter. */
export async function pressOn(page: Page, wanted: Locator, key?: string): Promise<void> {
  await reach(page, wanted, key);
  await page.keyboard.press('Enter');
}
