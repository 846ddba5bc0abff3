/**
 * A real browser, without a sandbox of its own and without errands of its own.
 *
 * `CHROMIUM` names another than the one that the tests bring along, which runs on Linux.
 */

import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sparticuz from '@sparticuz/chromium';
import { type Browser, chromium } from 'playwright-core';

/** It serves nobody else; what it would fetch for itself is off. */
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

/** The browser's own fonts, which it lays beside itself, so that letters are as wide everywhere. */
const fonts = { FONTCONFIG_PATH: join(tmpdir(), 'fonts') };

/** The browser's own says that it is driven by a program, and robots are neither recommended to nor counted. */
export const userAgent =
  'Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/147.0.0.0 Safari/537.36';

/** @param letters `own` are as wide on every machine; `system` has more of them, for pictures that people look at. */
export async function startBrowser(letters: 'own' | 'system' = 'own'): Promise<Browser> {
  const executablePath = process.env.CHROMIUM ?? (await sparticuz.executablePath());
  const env = { ...process.env, ...(letters === 'own' && fonts) };
  return chromium.launch({ executablePath, args: flags, headless: true, env });
}
