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

/** The browser's own says that it is driven by a program, and robots are neither recommended to nor counted. */
export const userAgent =
  'Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/147.0.0.0 Safari/537.36';
