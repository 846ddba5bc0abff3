/** Pages of the error reasons, to which the `type` of problem documents links: cause, remedy and example. */

import { status } from '@grpc/grpc-js';
import { type ReasonPage, reasonPages } from '../../../../gen/rest/error-reasons.ts';
import type { StaticDocument } from '../static-documents.ts';

const contentSecurityPolicy =
  "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const style = `:root { color-scheme: light dark; }
body { max-width: 42rem; margin: 3rem auto; padding: 0 1.25rem; font: 1rem/1.6 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; margin: 1.5rem 0 .25rem; }
h2 { font-size: 1rem; margin: 1.75rem 0 .25rem; }
p { margin: .25rem 0; }
code { font-family: ui-monospace, monospace; font-size: .9em; }
dt { margin-top: 1rem; }
dd { margin: 0; }
.status { opacity: .75; }
`;

/** Returns the pages by path below the base path. */
export function createErrorPages(): Map<string, StaticDocument> {
  /** @param docs Relative address of the reference, since a proxy may serve it below a prefix. */
  const page = (docs: string, title: string, content: string): StaticDocument => ({
    contentType: 'text/html; charset=utf-8',
    body: pageOf(docs, title, content),
    headers: { 'content-security-policy': contentSecurityPolicy, 'referrer-policy': 'no-referrer' },
  });
  return new Map([
    ['/docs/errors', page('../docs', 'Errors', contentOfAll('errors'))],
    ...reasonPages.map(
      (one) => [`/docs/errors/${one.reason}`, page('../../docs', one.reason, contentOf(one))] as const,
    ),
    ['/docs/errors.css', { contentType: 'text/css; charset=utf-8', body: style }],
  ]);
}

function pageOf(docs: string, title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Personalisation</title>
<link rel="stylesheet" href="${docs}/errors.css">
</head>
<body>
<nav><a href="${docs}">Reference</a> · <a href="${docs}/errors">Errors</a></nav>
${content}
</body>
</html>
`;
}

function contentOf({ reason, httpStatus, grpcCode, cause, fix, example }: ReasonPage): string {
  return `<h1>${reason}</h1>
<p class="status">HTTP ${httpStatus} by default · gRPC ${status[grpcCode]}</p>
<h2>Cause</h2><p>${formatted(cause)}</p>
<h2>What to do</h2><p>${formatted(fix)}</p>
<h2>For example</h2><p>${formatted(example)}</p>`;
}

function contentOfAll(errors: string): string {
  const entries = reasonPages.map(
    ({ reason, cause }) => `<dt><a href="${errors}/${reason}">${reason}</a></dt><dd>${formatted(cause)}</dd>`,
  );
  return `<h1>Errors</h1>
<p>Every error is a problem document (RFC 9457). Its <code>type</code> ends with one of these reasons; over gRPC it is the
<code>reason</code> of google.rpc.ErrorInfo.</p>
<dl>${entries.join('\n')}</dl>`;
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes text; backticks mark code. */
function formatted(text: string): string {
  const escaped = text.replaceAll(/[&<>"]/g, (character) => entities[character]);
  return escaped.replaceAll(/`([^`]*)`/g, '<code>$1</code>');
}
