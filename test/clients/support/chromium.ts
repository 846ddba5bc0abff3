/** A real browser, as the package of the tests brings it. */

import chromium from '@sparticuz/chromium';
import { type Browser, chromium as playwright } from 'playwright-core';

export async function startChromium(): Promise<Browser> {
  return await playwright.launch({
    executablePath: await chromium.executablePath(),
    headless: true,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
    ],
  });
}
