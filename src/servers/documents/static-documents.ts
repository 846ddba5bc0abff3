/** Serves documents without parameters. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { sendBody } from '../path-handler.ts';

export type StaticDocument = {
  contentType: string;
  body: string | (() => Promise<string>);
  headers?: Record<string, string>;
  /** Large and constant: compressed once, for clients that accept gzip. */
  isCompressed?: boolean;
};

export type StaticDocuments = {
  /** Returns false when no document has this path. */
  answer(path: string, request: IncomingMessage, response: ServerResponse): boolean;
};

const compress = promisify(gzip);

/** @param documents By path. */
export function createStaticDocuments(documents: ReadonlyMap<string, StaticDocument>): StaticDocuments {
  const compressed = new Map<StaticDocument, Promise<Buffer>>();
  const compressedOnce = (document: StaticDocument): Promise<Buffer> => {
    const known = compressed.get(document);
    if (known !== undefined) return known;
    const made = readBody(document).then((body) => compress(body));
    compressed.set(document, made);
    made.catch(() => compressed.delete(document));
    return made;
  };
  return {
    answer(path, request, response) {
      const document = documents.get(path);
      if (document === undefined) return false;
      const isZipped = document.isCompressed && takesGzip(request);
      const body = isZipped ? compressedOnce(document) : readBody(document);
      void send(document, body, response, isZipped ? { 'content-encoding': 'gzip' } : {});
      return true;
    },
  };
}

async function readBody({ body }: StaticDocument): Promise<string> {
  return typeof body === 'string' ? body : body();
}

function takesGzip({ headers }: IncomingMessage): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(String(headers['accept-encoding'] ?? ''));
}

async function send(
  { contentType, headers, isCompressed }: StaticDocument,
  body: Promise<string | Buffer>,
  response: ServerResponse,
  encoding: Record<string, string>,
): Promise<void> {
  const bytes = await body.catch(() => undefined);
  if (bytes === undefined)
    return sendBody(response, 503, unavailable, { 'content-type': 'text/plain; charset=utf-8' });
  const vary = isCompressed && { vary: 'accept-encoding' };
  sendBody(response, 200, bytes, { 'content-type': contentType, ...headers, ...encoding, ...vary });
}

const unavailable = 'This document is temporarily unavailable.\n';
