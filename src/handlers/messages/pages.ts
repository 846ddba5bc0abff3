/**
 * Pages of our own lists, as AIP-158 has them: a token says after which element the next page begins. Callers pass it
 * on as it is. It is good for the request that it was given for only.
 */

import {
  create,
  type DescMessage,
  type Message,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf';
import { DomainError } from '../../errors.ts';
import { encodeJson } from '../../formats/codec.ts';
import type { Call } from '../chain/call.ts';

/** What a page is of: the parts of the request that choose and order its elements. */
type Chosen = readonly (string | number | boolean)[];

/** The place of an element in the order of its list. */
export type PageKey = readonly (string | number)[];

/** What a part of a key is. Numbers are whole ones. */
export type KeyKind = 'number' | 'string' | 'uuid';

export type PageRequest = { pageSize?: number; pageToken?: string };

export type PageLimits = { usual: number; most: number };

export type Page<Element> = {
  elements: Element[];
  nextPageToken: string;
  /** For a page that ends earlier. */
  tokenBehind(element: Element): string;
};

export type PageSource<Element, Key extends PageKey> = {
  /** The elements after a key, or the first ones. */
  list(limit: number, after: Key | undefined): Promise<Element[]>;
  keyOf(element: Element): Key;
  /** What a key is made of, so that a token that somebody made up goes no further. */
  kinds: readonly KeyKind[];
  chosen: Chosen;
  limits: PageLimits;
};

/** One page. A token of another request, or of nobody, is PARAMETER_INVALID. */
export async function readPage<Element, Key extends PageKey>(
  { pageSize, pageToken }: PageRequest,
  { list, keyOf, kinds, chosen, limits }: PageSource<Element, Key>,
): Promise<Page<Element>> {
  const size = Math.min(pageSize || limits.usual, limits.most);
  const after = pageToken ? readToken<Key>(pageToken, chosen, kinds) : undefined;
  const found = await list(size + 1, after);
  const elements = found.slice(0, size);
  const isLast = found.length <= size;
  const tokenBehind = (element: Element) => writeToken(keyOf(element), chosen);
  return { elements, nextPageToken: isLast ? '' : tokenBehind(elements[size - 1]), tokenBehind };
}

/** Of an answer beside its elements: the token of the next page, which names what the request chose, and counts. */
const framingBytes = 16_384;

/** Of an element beside its message: a comma, or a tag and a length. */
const separatorBytes = 8;

export type ShownElements<Element, Schema extends DescMessage> = {
  schema: Schema;
  messageOf(element: Element): MessageInitShape<Schema>;
  call: Pick<Call, 'answerBytes' | 'transport' | 'holdsOneElement'>;
};

/**
 * The first elements as messages, up to where the answer would become too large. One always fits: it was stored in one piece,
 * and pages would never get past it.
 */
export function fitElements<Element, Schema extends DescMessage>(
  elements: Iterable<Element>,
  { schema, messageOf, call }: ShownElements<Element, Schema>,
): MessageShape<Schema>[] {
  const mostBytes = (call.answerBytes ?? Number.POSITIVE_INFINITY) - framingBytes;
  const messages: MessageShape<Schema>[] = [];
  let byteCount = 0;
  for (const element of elements) {
    const message = create(schema, messageOf(element));
    byteCount += sizeOf(schema, message, call) + separatorBytes;
    if (byteCount > mostBytes && messages.length > 0) break;
    messages.push(message);
  }
  call.holdsOneElement = messages.length === 1;
  return messages;
}

/** In bytes, as the transport of the call encodes it. */
function sizeOf(schema: DescMessage, message: Message, { transport }: Pick<Call, 'transport'>): number {
  if (transport === 'http') return Buffer.byteLength(JSON.stringify(encodeJson(schema, message)));
  return toBinary(schema, message).length;
}

/** The elements of a page as messages. The page ends earlier where the answer would become too large. */
export function fitPage<Element, Schema extends DescMessage>(
  { elements, nextPageToken, tokenBehind }: Page<Element>,
  shown: ShownElements<Element, Schema>,
): { messages: MessageShape<Schema>[]; nextPageToken: string } {
  const messages = fitElements(elements, shown);
  const isWhole = messages.length === elements.length;
  return { messages, nextPageToken: isWhole ? nextPageToken : tokenBehind(elements[messages.length - 1]) };
}

function writeToken(key: PageKey, chosen: Chosen): string {
  return Buffer.from(JSON.stringify([chosen, key])).toString('base64url');
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const isOfKind: Record<KeyKind, (part: unknown) => boolean> = {
  number: Number.isSafeInteger,
  string: (part) => typeof part === 'string',
  uuid: (part) => typeof part === 'string' && uuid.test(part),
};

function readToken<Key extends PageKey>(token: string, chosen: Chosen, kinds: readonly KeyKind[]): Key {
  const [given, key] = parse(token);
  const isKey =
    Array.isArray(key) &&
    key.length === kinds.length &&
    kinds.every((kind, place) => isOfKind[kind](key[place]));
  if (isKey && JSON.stringify(given) === JSON.stringify(chosen)) return key as unknown as Key;
  const detail = 'Is not the next_page_token of an answer to this request.';
  throw new DomainError('PARAMETER_INVALID', `The page token is of another request.`, {
    metadata: { page_token: token },
    violations: [{ pointer: 'query:page_token', detail }],
  });
}

function parse(token: string): unknown[] {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(token, 'base64url').toString());
    return Array.isArray(parsed) ? parsed : [];
  } catch {
    return [];
  }
}
