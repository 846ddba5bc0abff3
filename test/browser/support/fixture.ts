/** Shared by all stories of the console: a service on the demo, a browser, and pages. */

import { setTimeout as delay } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import type { Browser, Page } from 'playwright-core';
import { createDemoDeployment } from '../../../src/deployment/demo/deployment.ts';
import type { Deployment } from '../../../src/deployment/deployment.ts';
import { startBrowser } from '../../support/browser.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { trainedOnce } from '../../support/trained-once.ts';
import { type ConsolePage, type Opening, openConsole, resetPage } from './browser.ts';

export type Fixture = {
  readonly service: TestService;
  /** Page that stays open between stories, for stories that leave no state in it. Reading it clears its troubles. */
  readonly shared: ConsolePage;
  /** Empty page for work on pictures. */
  readonly blank: Page;
  /** Page without state of earlier stories. */
  fresh(t: ExecutionContext, opening?: { signsIn: boolean }): Promise<ConsolePage>;
  /** New page, for stories that change scripts, the clock or listeners. */
  open(t: ExecutionContext, opening?: Opening & { signsIn?: boolean }): Promise<ConsolePage>;
  /** Calls a documented JSON path as the administrator. */
  send(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object): Promise<Response>;
  makeClient(scopes: string[]): Promise<TestService['admin']>;
  /** Resolves when the first training of the demo has ended. */
  trained(): Promise<void>;
  /** Logs the content of the shared page after a failed story. */
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

/** @param trains Whether the service trains on the events of the stories. */
type CreatedClient = { client: { clientId: string }; clientSecret: string };

export function createFixture({ trains }: { trains: boolean }): Fixture {
  let service: TestService;
  let browser: Browser;
  let shared: ConsolePage;
  let fresh: ConsolePage;
  let blank: Page;
  const send: Fixture['send'] = (method, path, body) =>
    fetch(service.baseUrl + path, {
      method,
      headers: { authorization: service.authorization, 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
    });
  return {
    get service() {
      return service;
    },
    get shared() {
      shared.troubles.length = 0;
      return shared;
    },
    get blank() {
      return blank;
    },
    async fresh(t, { signsIn } = { signsIn: true }) {
      await resetPage(t, fresh, service, signsIn);
      return fresh;
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
      const { client, clientSecret } = (await response.json()) as CreatedClient;
      return { clientId: client.clientId, clientSecret };
    },
    async trained() {
      const ways = { queued: true, running: true, published: false };
      for (;;) {
        const response = await send('GET', '/demo/models/trainings?page_size=50');
        const { trainings } = (await response.json()) as {
          trainings: { state: keyof typeof ways; reason: string }[];
        };
        const first = trainings.find(({ reason }) => reason === 'first');
        if (first && !(first.state in ways)) throw new Error(`The first training is ${first.state}.`);
        if (first && !ways[first.state]) return;
        await delay(pollMs);
      }
    },
    async report(t) {
      if (!t.passed) t.log(await shared.describe());
    },
    async start() {
      [service, browser] = await Promise.all([
        startTestService(untilTheEnd, splitDemo(), { trains }),
        startBrowser(),
      ]);
      shared = await openConsole(untilTheEnd, browser, service);
      fresh = await openConsole(untilTheEnd, browser, service, { signsIn: false });
      blank = await browser.newPage();
    },
    async stop() {
      await browser?.close();
      await service?.stop();
    },
  };
}
