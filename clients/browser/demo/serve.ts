/** Serves the demo shop: its page for every address, its script, and the client as it is published. */

import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { build, type Rolldown } from 'vite';

export type ShopSettings = {
  /** Address of the service. */
  baseUrl: string;
  environment: string;
  writeKey: string;
  configuration: string;
  itemType: string;
  timeoutMs?: number;
  /** The fallback list. */
  bestSellers: string[];
};

export type DemoShop = { origin: string; settings: Partial<ShopSettings>; close(): Promise<void> };

/** Settings may be changed while it runs; each page gets them as they are then. */
export async function startDemoShop(settings: Partial<ShopSettings>, port = 0): Promise<DemoShop> {
  const read = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8');
  const scripts: Record<string, string> = {
    '/personalisation.js': await bundleClient(),
    '/shop.js': read('shop.js'),
  };
  const page = read('shop.html');
  const server = createServer(({ url = '/' }, response) => {
    const script = scripts[url];
    response.setHeader('content-type', script ? 'text/javascript' : 'text/html; charset=utf-8');
    response.end(script ?? page.replace('>{}<', `>${JSON.stringify(settings).replaceAll('<', '\\u003c')}<`));
  });
  await new Promise<void>((resolve) => server.listen(port, resolve));
  return {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    settings,
    close: () => close(server),
  };
}

export async function bundleClient(): Promise<string> {
  const entry = new URL('../src/index.ts', import.meta.url).pathname;
  const lib = { entry, name: 'personalisation', formats: ['iife' as const] };
  const built = await build({
    configFile: false,
    logLevel: 'warn',
    build: { lib, write: false, minify: true, target: 'es2020' },
  });
  const [{ output }] = built as Rolldown.RolldownOutput[];
  return output[0].code;
}

function close(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      url: { type: 'string', default: 'http://localhost:8080' },
      environment: { type: 'string', default: 'demo' },
      configuration: { type: 'string', default: 'home' },
      'item-type': { type: 'string', default: 'product' },
      'write-key': { type: 'string', default: '' },
      port: { type: 'string', default: '8090' },
    },
  });
  const { origin } = await startDemoShop(
    {
      baseUrl: values.url,
      environment: values.environment,
      configuration: values.configuration,
      itemType: values['item-type'],
      writeKey: values['write-key'],
      bestSellers: [],
    },
    Number(values.port),
  );
  console.log(`The demo shop is at ${origin}`);
}
