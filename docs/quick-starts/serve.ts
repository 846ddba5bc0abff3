/**
 * Serves a quick start's page, and the client for web pages beside it, as a site's own server would:
 * `npm run node -- docs/quick-starts/serve.ts shop --write-key wk_…`
 */

import { readFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { bundleClient } from '../../clients/browser/demo/serve.ts';

type Settings = {
  /** `shop`, `news` or `video`. */
  site: string;
  /** Address of the service. */
  url: string;
  writeKey: string;
  port: number;
};

/** Values for the placeholders in the pages. */
const written = { url: 'http://localhost:8080', writeKey: 'wk_…' };

export async function serveSite({ site, url, writeKey, port }: Settings): Promise<Server> {
  const read = (name: string) => readFileSync(new URL(`${site}/${name}`, import.meta.url), 'utf8');
  const script = read('page.js').replace(written.url, url).replace(written.writeKey, writeKey);
  const files: Record<string, [type: string, content: string]> = {
    '/': ['text/html; charset=utf-8', read('index.html')],
    '/page.js': ['text/javascript', script],
    '/personalisation.js': ['text/javascript', await bundleClient()],
  };
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    const [type, content] = files[path] ?? ['text/plain', ''];
    if (path.startsWith('/films/')) return sendFilm(request.headers.range, response);
    response.setHeader('content-type', type);
    response.writeHead(path in files ? 200 : 404).end(content);
  });
  await new Promise<void>((resolve) => server.listen(port, resolve));
  return server;
}

/** A minute of darkness and silence, in the place of a film: 8,000 samples of one byte a second. */
function createFilm(): Buffer {
  const samples = Buffer.alloc(60 * 8_000, 128);
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + samples.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8_000, 24);
  head.writeUInt32LE(8_000, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write('data', 36);
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]);
}

/** By ranges, so that the viewer may skip. */
function sendFilm(range: string | undefined, response: ServerResponse): void {
  const film = createFilm();
  const start = Number(/^bytes=(\d+)-/.exec(range ?? '')?.[1] ?? 0);
  response.writeHead(206, {
    'content-type': 'audio/wav',
    'accept-ranges': 'bytes',
    'content-range': `bytes ${start}-${film.length - 1}/${film.length}`,
  });
  response.end(film.subarray(start));
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      url: { type: 'string', default: written.url },
      'write-key': { type: 'string', default: '' },
      port: { type: 'string', default: '8090' },
    },
  });
  const [site] = positionals;
  const server = await serveSite({
    site,
    url: values.url,
    writeKey: values['write-key'],
    port: Number(values.port),
  });
  console.log(`The ${site} is at http://localhost:${(server.address() as AddressInfo).port}`);
}
