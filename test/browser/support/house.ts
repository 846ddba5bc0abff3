/** What all stories of the console share: one service on the demo, one browser, and a page that only looks. */

import type { ExecutionContext } from 'ava';
import type { Browser } from 'playwright-core';
import { startTestService, type TestService } from '../../support/service.ts';
import { type ConsolePage, launchBrowser, type Opening, openConsole } from './browser.ts';

export type House = {
  readonly service: TestService;
  /** For stories that change nothing a page keeps; it stays open from one to the next. */
  readonly guest: ConsolePage;
  /** A page without a past. */
  open(t: ExecutionContext, opening?: Opening & { signsIn?: boolean }): Promise<ConsolePage>;
  /** A call of the documented JSON paths by the administrator. */
  send(method: 'POST' | 'PUT', path: string, body: object): Promise<Response>;
  start(): Promise<void>;
  stop(): Promise<void>;
};

const untilTheEnd = { teardown: () => undefined };

export function createHouse(): House {
  let service: TestService;
  let browser: Browser;
  let guest: ConsolePage;
  return {
    get service() {
      return service;
    },
    get guest() {
      return guest;
    },
    open: (t, opening) => openConsole(t, browser, service, opening),
    send: (method, path, body) =>
      fetch(service.baseUrl + path, {
        method,
        headers: { authorization: service.authorization, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    async start() {
      [service, browser] = await Promise.all([startTestService(untilTheEnd, 'demo'), launchBrowser()]);
      guest = await openConsole(untilTheEnd, browser, service);
    },
    async stop() {
      await browser?.close();
      await service?.stop();
    },
  };
}
