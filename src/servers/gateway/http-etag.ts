/**
 * Versions as entity tags (RFC 9110, 8.8.3 and 13.1). The options of an operation name the field of its answer that is the
 * `ETag`, and the field of its request for `If-Match`. In writes, `If-None-Match: *` is version 0 (must not exist), and
 * `If-Match: *` is -1 (must exist) where the operation supports it. In reads, `If-None-Match` lists the caller's versions.
 */

import type { IncomingHttpHeaders } from 'node:http';
import type { DescField, Message } from '@bufbuild/protobuf';
import { DomainError } from '../../errors.ts';
import { shapeOf } from '../../formats/codec/field-plan.ts';
import type { Operation } from '../../handlers/chain/operation.ts';

const anyVersion = -1;

/** Returns the ETag, e.g. `"3"`; undefined when the operation or its answer has none. */
export function etagOf({ options, method }: Operation, answer: Message): string | undefined {
  if (options.etagField === '') return undefined;
  let value: unknown = answer;
  let fields = method.output.fields;
  for (const name of options.etagField.split('.')) {
    const field = fields.find((candidate) => candidate.name === name)!;
    value = (value as Record<string, unknown> | undefined)?.[field.localName];
    fields = field.message?.fields ?? [];
  }
  return (typeof value === 'number' && value > 0) || (typeof value === 'string' && value !== '')
    ? `"${value}"`
    : undefined;
}

/** Writes the version that the caller expects into the request. */
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
    ifMatch === undefined ? readNone(ifNoneMatch!) : readVersion(ifMatch, field);
}

/** Tests whether the caller of a GET has this version. Weak and strong tags are equal here. */
export function isUnchanged(
  { method = '', headers }: { method?: string; headers: IncomingHttpHeaders },
  etag: string | undefined,
): boolean {
  const known = headers['if-none-match'];
  if (etag === undefined || known === undefined || !/^(GET|HEAD)$/.test(method)) return false;
  const tags = known.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(etag);
}

/** Expected where no tag of the list is a version of this service: the write conflicts. */
const noVersion = 2_147_483_647;

const tagList = /^(?:W\/)?"[^"]*"(?:\s*,\s*(?:W\/)?"[^"]*")*$/;

/** Reads tags, also weak ones, which compressing proxies make. Of several versions the latest counts. */
function readVersion(text: string, field: DescField): number {
  const takesAny = shapeOf(field).minimum === anyVersion;
  if (takesAny && text.trim() === '*') return anyVersion;
  if (!tagList.test(text.trim()))
    throw invalid('If-Match', `Must be ETags of this resource, e.g. "3"${takesAny ? ', or *' : ''}.`);
  const versions = Array.from(text.matchAll(/"([1-9]\d{0,8})"/g), ([, version]) => Number(version));
  return versions.length > 0 ? Math.max(...versions) : noVersion;
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
