/** One browser for all tests of a file. */

import type { Browser } from 'playwright-core';
import { startBrowser } from './browser.ts';
import { forAllTests } from './for-all-tests.ts';

export function testedBrowser(): Browser {
  return forAllTests('the browser', async (t) => {
    const browser = await startBrowser();
    t.teardown(() => browser.close());
    return browser;
  });
}
