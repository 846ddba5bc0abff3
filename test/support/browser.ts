/** A real browser, without a sandbox of its own and without errands of its own. */

import chromium from '@sparticuz/chromium';
import { type Browser, chromium as driver } from 'playwright-core';

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

export async function startBrowser(): Promise<Browser> {
  return driver.launch({ executablePath: await chromium.executablePath(), args: flags, headless: true });
}
