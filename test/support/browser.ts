/**
 * A real browser, without a sandbox of its own and without errands of its own.
 *
 * `CHROMIUM` names another than the one that the tests bring along, which runs on Linux.
 */

import { type Browser, chromium } from 'playwright-core';
import { unpackedBrowser } from './unpacked-browser.ts';

/** It serves nobody else; what it would fetch for itself is off. */
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

/** The browser's own says that it is driven by a program, and robots are neither recommended to nor counted. */
export const userAgent =
  'Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/147.0.0.0 Safari/537.36';

/** @param letters `own` are as wide on every machine; `system` has more of them, for pictures that people look at. */
export async function startBrowser(letters: 'own' | 'system' = 'own'): Promise<Browser> {
  const { executable, fontsFolder } = await unpackedBrowser();
  const env = { ...process.env, ...(letters === 'own' && { FONTCONFIG_PATH: fontsFolder }) };
  const executablePath = process.env.CHROMIUM ?? executable;
  return chromium.launch({ executablePath, args: flags, headless: true, env });
}
