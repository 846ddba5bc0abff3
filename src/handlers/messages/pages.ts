/**
 * Pages as by AIP-158: a token identifies the last element of a page. It is opaque to callers and
 * valid only for the same request.
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

/** Parts of the request that select and order the elements. */
type Chosen = readonly (string | number | boolean)[];

/** Position of an element in the order of its list. */
export type PageKey = readonly (string | number)[];

/** Type of a part of a key; numbers are integers. */
export type KeyKind = 'number' | 'string' | 'uuid';

export type PageRequest = { pageSize?: number; pageToken?: string };

export type PageLimits = { usual: number; most: number };

export type Page<Element> = {
  elements: Element[];
  nextPageToken: string;
  /** Returns the token for a page that ends at this element. */
  tokenBehind(element: Element): string;
};

export type PageSource<Element, Key extends PageKey> = {
  /** Returns the elements after a key, or the first ones. */
  list(limit: number, after: Key | undefined): Promise<Element[]>;
  keyOf(element: Element): Key;
  /** Types of the key's parts, to reject forged tokens. */
  kinds: readonly KeyKind[];
  chosen: Chosen;
  limits: PageLimits;
};

/** Reads one page. @throws PARAMETER_INVALID for a token of another request. */
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

/** Bytes of an answer besides its elements: the token of the next page and counts. */
const framingBytes = 16_384;

/** Bytes of an element besides its message: a comma, or a tag and a length. */
const separatorBytes = 8;

export type ShownElements<Element, Schema extends DescMessage> = {
  schema: Schema;
  messageOf(element: Element): MessageInitShape<Schema>;
  call: Pick<Call, 'answerBytes' | 'transport' | 'holdsOneElement'>;
};

/** Converts elements up to the size limit of the answer; the first one always fits. */
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

function sizeOf(schema: DescMessage, message: Message, { transport }: Pick<Call, 'transport'>): number {
  if (transport === 'http') return Buffer.byteLength(JSON.stringify(encodeJson(schema, message)));
  return toBinary(schema, message).length;
}

type KeyOf<Kinds extends readonly KeyKind[]> = {
  -readonly [Index in keyof Kinds]: Kinds[Index] extends 'number' ? number : string;
};

type MessageSource<Element, Kinds extends readonly KeyKind[], Schema extends DescMessage> = PageSource<
  Element,
  KeyOf<Kinds>
> & { kinds: Kinds; schema: Schema; messageOf(element: NoInfer<Element>): MessageInitShape<Schema> };

/**
 * Reads one page as messages in the named field. It ends earlier at the size limit of the answer.
 * The type of its key follows from `kinds`.
 */
export async function readMessages<
  Name extends string,
  Element,
  const Kinds extends readonly KeyKind[],
  Schema extends DescMessage,
>(
  name: Name,
  request: PageRequest,
  call: ShownElements<Element, Schema>['call'],
  source: MessageSource<Element, Kinds, Schema>,
): Promise<Record<Name, MessageShape<Schema>[]> & { nextPageToken: string }> {
  const { elements, nextPageToken, tokenBehind } = await readPage(request, source);
  const messages = fitElements(elements, { ...source, call });
  const isWhole = messages.length === elements.length;
  const token = isWhole ? nextPageToken : tokenBehind(elements[messages.length - 1]);
  return { [name]: messages, nextPageToken: token } as never;
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
  const detail = 'Must be the next_page_token of an answer to the same request.';
  throw new DomainError('PARAMETER_INVALID', 'The page token belongs to another request.', {
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
