/** Web origins that may use a write key. */
import { refuseInvalid, type Violation } from '../errors.ts';

const mostOrigins = 64;

/** Returns distinct origins as browsers write them. @throws BODY_INVALID */
export function checkOrigins(texts: readonly string[]): string[] {
  const violations: Violation[] = texts.flatMap((text, index) =>
    parseOrigin(text) === undefined ? [{ pointer: `/origins/${index}`, detail: explain(text) }] : [],
  );
  if (texts.length === 0 || texts.length > mostOrigins)
    violations.push({ pointer: '/origins', detail: `Give 1 to ${mostOrigins} origins.` });
  refuseInvalid(violations);
  return [...new Set(texts.map((text) => parseOrigin(text)!))];
}

/** Returns undefined for anything but scheme, host and port, such as `null` of a sandboxed page. */
function parseOrigin(text: string): string | undefined {
  if (text.length > 300 || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const isBare = url.href === `${url.origin}/` && !text.endsWith('#') && !text.endsWith('?');
  return isBare && /^https?:$/.test(url.protocol) ? url.origin : undefined;
}

function explain(text: string): string {
  return `${JSON.stringify(text.slice(0, 100))} is not an origin; write one as https://shop.example or http://localhost:3000.`;
}
