/** A collector of traces for tests: OTLP over HTTP, as JSON. */

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

export type CollectedSpan = {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  /** 2 is an error. */
  status: { code?: number };
  attributes: Record<string, string>;
};

export type Collector = {
  endpoint: string;
  /** Attributes of the senders. */
  resources: Record<string, string>[];
  /** Waits until the spans contain a match. */
  find(matches: (span: CollectedSpan) => boolean): Promise<CollectedSpan>;
  /** Spans received so far. */
  spans: CollectedSpan[];
  stop(): void;
};

type Attribute = { key: string; value: { stringValue: string } };
type RawSpan = Omit<CollectedSpan, 'attributes'> & { attributes: Attribute[] };
type Export = {
  resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: RawSpan[] }[] }[];
};

const objectOf = (attributes: Attribute[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue]));

export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const resources: Record<string, string>[] = [];
  const server = createServer(async (request, response) => {
    const { resourceSpans } = (await json(request)) as Export;
    for (const { resource, scopeSpans } of resourceSpans) {
      resources.push(objectOf(resource.attributes));
      for (const span of scopeSpans.flatMap((scope) => scope.spans))
        spans.push({ ...span, attributes: objectOf(span.attributes) });
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`,
    resources,
    spans,
    async find(matches) {
      for (;;) {
        const found = spans.find(matches);
        if (found) return found;
        await delay(50);
      }
    },
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
