/** The API reference: Scalar renders the OpenAPI document. All files come from this host. */

import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { StaticDocument } from '../static-documents.ts';

/** Scalar adds inline styles. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const starter = readFileSync(new URL('start-reference.js', import.meta.url), 'utf8');

/**
 * Returns the documents by path below the base path.
 *
 * @param root Folder that holds `build/reference`; see tools/build-reference.js.
 */
export function createReference(root: URL): Map<string, StaticDocument> {
  const script = 'text/javascript; charset=utf-8';
  const renderer = () => readFile(new URL('build/reference/scalar.js', root), 'utf8');
  const headers = {
    'content-security-policy': contentSecurityPolicy,
    'referrer-policy': 'no-referrer',
  };
  return new Map([
    ['/docs', { contentType: 'text/html; charset=utf-8', body: page, headers }],
    ['/docs/start.js', { contentType: script, body: starter }],
    ['/docs/renderer.js', { contentType: script, body: renderer, isCompressed: true }],
  ]);
}

/** Addresses are relative, since a proxy may serve it below a prefix. */
const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Personalisation</title>
<link rel="icon" href="data:,">
</head>
<body>
<div id="reference"></div>
<noscript>The reference needs JavaScript; the same as JSON: <a href="openapi.json">openapi.json</a></noscript>
<script src="docs/renderer.js"></script>
<script type="module" src="docs/start.js"></script>
</body>
</html>
`;
