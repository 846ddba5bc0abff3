/** What all stories of the console share: one service on the demo, one browser, and a page that only looks. */

import { setTimeout as delay } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import type { Browser, Page } from 'playwright-core';
import { createDemoDeployment } from '../../../src/deployment/demo/deployment.ts';
import type { Deployment } from '../../../src/deployment/deployment.ts';
import { startBrowser } from '../../support/browser.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { trainedOnce } from '../../support/trained-once.ts';
import { beginAnew, type ConsolePage, type Opening, openConsole } from './browser.ts';

export type House = {
  readonly service: TestService;
  /** For stories that change nothing a page keeps; it stays open from one to the next. Its troubles begin anew. */
  readonly guest: ConsolePage;
  /** An empty page, to work with pictures. */
  readonly desk: Page;
  /** For stories that begin with nothing: the page that the one before had, with nothing left of it. */
  newcomer(t: ExecutionContext, opening?: { signsIn: boolean }): Promise<ConsolePage>;
  /** A page of its own, whose scripts, clock and listeners nobody meets again. */
  open(t: ExecutionContext, opening?: Opening & { signsIn?: boolean }): Promise<ConsolePage>;
  /** A call of the documented JSON paths by the administrator. */
  send(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object): Promise<Response>;
  makeClient(scopes: string[]): Promise<TestService['admin']>;
  /** Resolves when the first training of the demo has come to its end, however busy the machine is. */
  learnt(): Promise<void>;
  /** Tells what the guest's page shows after a story that failed; another page tells it itself. */
  report(t: ExecutionContext): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
};

const pollMs = 200;

/** The demo, with an experiment in it. */
function splitDemo(): Deployment {
  const demo = createDemoDeployment();
  const versions = ['control', 'bold'].map((name) => ({ name, share: 0.5, models: new Map() }));
  const split = [...demo.environments].map(([name, settings]) => [name, { ...settings, versions }] as const);
  return trainedOnce({ ...demo, environments: new Map(split) });
}

const untilTheEnd = { teardown: () => undefined };

/** @param trains Whether it learns what its stories do; each begins with what the demo teaches. */
export function createHouse({ trains }: { trains: boolean }): House {
  let service: TestService;
  let browser: Browser;
  let guest: ConsolePage;
  let newcomer: ConsolePage;
  let desk: Page;
  const send: House['send'] = (method, path, body) =>
    fetch(service.baseUrl + path, {
      method,
      headers: { authorization: service.authorization, 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
    });
  return {
    get service() {
      return service;
    },
    get guest() {
      guest.troubles.length = 0;
      return guest;
    },
    get desk() {
      return desk;
    },
    async newcomer(t, { signsIn } = { signsIn: true }) {
      await beginAnew(t, newcomer, service, signsIn);
      return newcomer;
    },
    open: (t, opening) => openConsole(t, browser, service, opening),
    send,
    async makeClient(scopes) {
      const { baseUrl, authorization } = service;
      const response = await fetch(new URL('/personalisation.v1.ClientService/CreateClient', baseUrl), {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify({ client: { kind: 'CLIENT_KIND_CONFIDENTIAL', name: 'few', scopes } }),
      });
      const { client, clientSecret } = (await response.json()) as {
        client: { clientId: string };
        clientSecret: string;
      };
      return { clientId: client.clientId, clientSecret };
    },
    async learnt() {
      const ways = { queued: true, running: true, published: false };
      for (;;) {
        const response = await send('GET', '/demo/models/trainings?page_size=50');
        const { trainings } = (await response.json()) as { trainings: { state: keyof typeof ways }[] };
        const first = trainings.at(-1);
        if (first && !(first.state in ways)) throw new Error(`The first training is ${first.state}.`);
        if (first && !ways[first.state]) return;
        await delay(pollMs);
      }
    },
    async report(t) {
      if (!t.passed) t.log(await guest.describe());
    },
    async start() {
      [service, browser] = await Promise.all([
        startTestService(untilTheEnd, splitDemo(), { trains }),
        startBrowser(),
      ]);
      guest = await openConsole(untilTheEnd, browser, service);
      newcomer = await openConsole(untilTheEnd, browser, service, { signsIn: false });
      desk = await browser.newPage();
    },
    async stop() {
      await browser?.close();
      await service?.stop();
    },
  };
}
