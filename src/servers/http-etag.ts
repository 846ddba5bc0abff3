/**
 * Versions as entity tags (RFC 9110, 8.8.3 and 13.1): an operation says which field of its answer is the `ETag`, and which
 * field of its request takes `If-Match`. `If-None-Match: *` says that nothing may be there yet, which is version 0.
 */

import type { IncomingHttpHeaders } from 'node:http';
import type { Message } from '@bufbuild/protobuf';
import { DomainError } from '../errors.ts';
import type { Operation } from '../handlers/chain/operation.ts';

/** The version of `configuration.version` as `"3"`; undefined when the operation or its answer has none. */
export function etagOf({ options, method }: Operation, answer: Message): string | undefined {
  if (options.etagField === '') return undefined;
  let value: unknown = answer;
  let fields = method.output.fields;
  for (const name of options.etagField.split('.')) {
    const field = fields.find((candidate) => candidate.name === name)!;
    value = (value as Record<string, unknown> | undefined)?.[field.localName];
    fields = field.message?.fields ?? [];
  }
  return typeof value === 'number' && value > 0 ? `"${value}"` : undefined;
}

/** Writes what the caller expects to be there into the request. */
export function bindIfMatch(
  { options, method }: Operation,
  headers: IncomingHttpHeaders,
  request: Message,
): void {
  if (options.ifMatchField === '') return;
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = headers;
  if (ifMatch === undefined && ifNoneMatch === undefined) return;
  const field = method.input.fields.find(({ name }) => name === options.ifMatchField)!;
  (request as unknown as Record<string, unknown>)[field.localName] =
    ifMatch === undefined ? readNone(ifNoneMatch!) : readVersion(ifMatch);
}

function readVersion(text: string): number {
  const version = /^"([1-9]\d{0,8})"$/.exec(text.trim())?.[1];
  if (version !== undefined) return Number(version);
  throw invalid('If-Match', 'Must be one ETag of this resource, e.g. "3".');
}

function readNone(text: string): number {
  if (text.trim() === '*') return 0;
  throw invalid('If-None-Match', 'Must be *.');
}

function invalid(header: string, detail: string): DomainError {
  return new DomainError('PARAMETER_INVALID', `${header}: ${detail}`, {
    metadata: { header },
    violations: [{ pointer: `header:${header}`, detail }],
  });
}
