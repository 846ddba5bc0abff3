/**
 * A real browser without sandbox and background services.
 *
 * `CHROMIUM` selects another browser than the bundled one, which needs Linux.
 */

import { type Browser, chromium } from 'playwright-core';
import { unpackedBrowser } from './unpacked-browser.ts';

/**
 * Time that a page may take for anything; only a page that hangs needs it, however busy the machine is.
 * `PATIENCE_MS` sets another one, to find mistakes in a story sooner.
 */
export const patienceMs = Number(process.env.PATIENCE_MS ?? 600_000);

/** Turns off the sandbox and background downloads. */
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

/** The browser's default user agent counts as a robot. */
export const userAgent =
  'Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/147.0.0.0 Safari/537.36';

/**
 * @param letters `own` fonts have the same widths on every machine; `system` fonts have more
 * characters, for published screenshots.
 */
export async function startBrowser(letters: 'own' | 'system' = 'own'): Promise<Browser> {
  const { executable, fontsFolder } = await unpackedBrowser();
  const env = { ...process.env, ...(letters === 'own' && { FONTCONFIG_PATH: fontsFolder }) };
  const executablePath = process.env.CHROMIUM ?? executable;
  return chromium.launch({ executablePath, args: flags, headless: true, env });
}
