/** The console at `/console`: its files, its page for all other paths below, and the session of the signed-in client. */

import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type PathHandler, sendBody } from '../path-handler.ts';
import { type ConsoleFile, type ConsoleFiles, openConsoleFiles } from './files.ts';
import type { ProviderSignIn } from './provider.ts';
import type { SessionHandler } from './session.ts';

const consolePath = '/console';

/** Names of assets hold a hash of their content. */
const immutable = 'public, max-age=31536000, immutable';

export type ConsoleOptions = {
  /** Prefix of the documented paths, which the page calls. */
  basePath: string;
  /** Allowed origins of item images. */
  imageOrigins: readonly string[];
  session: SessionHandler;
  provider?: ProviderSignIn;
  folder: URL;
};

export function createConsole(options: ConsoleOptions): PathHandler {
  const { basePath, imageOrigins, session, provider, folder } = options;
  let files: ConsoleFiles | undefined;

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const path = pathOf(request);
    if (path === `${consolePath}/session`) return session(request, response);
    if (provider?.handles(path) && request.method === 'GET') return provider.handle(request, response);
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return sendText(response.setHeader('allow', 'GET, HEAD'), 405, 'Use GET.\n');
    if (!files || (!path.startsWith(`${consolePath}/assets/`) && files.isStale()))
      files = openConsoleFiles(folder);
    if (!files) return sendText(response, 503, notBuilt);
    const file = await files.find(path.slice(consolePath.length + 1), request.headers['accept-encoding']);
    if (file) return sendFile(response, file);
    if (path.startsWith(`${consolePath}/assets/`)) return sendText(response, 404, 'File not found.\n');
    const settings = { basePath, root: rootFrom(path), showsImages: imageOrigins.length > 0 };
    return sendPage(response, await files.page(), { settings, imageOrigins });
  };

  return {
    handles: (path) => path === consolePath || path.startsWith(`${consolePath}/`),
    handle(request, response) {
      answer(request, response).catch(() =>
        sendText(response, 500, 'The files of the console cannot be read.\n'),
      );
    },
  };
}

const notBuilt = `The console is not built. Run "npm install" with development dependencies, or "npm run build:console".\n`;

function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0];
}

/** Relative, since a proxy may serve the console below a prefix: `../../` for `/console/a/b`. */
function rootFrom(path: string): string {
  return '../'.repeat(path.split('/').length - 2) || './';
}

function sendText(response: ServerResponse, status: number, text: string): void {
  if (response.headersSent) return void response.end();
  sendBody(response, status, text, {
    ...{ 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
  });
}

function sendFile(response: ServerResponse, { contentType, encoding, bytes, isHashed }: ConsoleFile): void {
  sendBody(response, 200, bytes, {
    'content-type': contentType,
    'cache-control': isHashed ? immutable : 'no-cache',
    vary: 'accept-encoding',
    ...(encoding && { 'content-encoding': encoding }),
  });
}

/** Scripts add styles with the page's nonce. All else must come from this service. */
function sendPage(
  response: ServerResponse,
  template: string,
  { settings, imageOrigins }: { settings: { root: string }; imageOrigins: readonly string[] },
): void {
  const nonce = randomBytes(16).toString('base64');
  const page = template
    .replaceAll('__NONCE__', nonce)
    .replaceAll('="./', `="${settings.root}${consolePath.slice(1)}/`)
    .replace('__SETTINGS__', escapeAttribute(JSON.stringify(settings)));
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    `img-src ${["'self'", 'data:', ...imageOrigins].join(' ')}`,
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  sendBody(response, 200, page, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy,
    'cross-origin-opener-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  });
}

function escapeAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
