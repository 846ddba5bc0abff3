/** A row of the interface's tables of endpoints, and common values of rows. */

import type { JsonObject } from '@bufbuild/protobuf';
import type { Operation } from '../support/operation.ts';
import type { Circumstances, Expected } from '../support/same-answer.ts';

export type Row = {
  /** Documented parts besides the status. */
  meaning: string;
  /** A function for a value that is known only after the start. */
  operation: Operation | (() => Operation);
  expected: Expected;
  /** The request cannot be expressed as a message. */
  httpOnly?: boolean;
} & Circumstances;

/** Method and path, as in the interface. */
export type Endpoints = Record<string, Row[]>;

/** Stored before the tests. */
export const known = { itemId: 'known' };
export const unknown = { itemId: 'unknown' };
export const chair = { title: 'Chair', price: 49.5, categories: ['Home/Chairs'] };
/** A configuration that is stored before the tests. */
export const stored: JsonObject = {
  configuration_id: 'stored',
  constraints: [
    { query: { key: 'brand', match: { value: 'Acme' } }, limit: { max: 2 }, _constraint_explanation: 'few' },
    { diversify: { key: 'categories' }, limit: { max: 5 }, _diversify_explanation: 'mixed' },
  ],
  preferences: [
    { query: { key: 'price', lt: [{ value: 100 }] }, weight: 2, _preference_explanation: 'cheap' },
  ],
};
export const noToken = { authorization: null };
export const badToken = { authorization: 'Bearer nonsense' };
/** The operation with a body that is cut off. */
export const notJson = (operation: Operation): Operation => ({ ...operation, body: '{' });
export const unauthenticated = { status: 401, reason: 'unauthenticated' };
export const configurationUnknown = { status: 404, reason: 'configuration_unknown' };
export const listUnknown = { status: 404, reason: 'list_unknown' };
export const bodyInvalid = (status: number, ...pointers: string[]) => ({
  status,
  reason: 'body_invalid',
  pointers,
});
export const parameterInvalid = (...pointers: string[]) => ({
  status: 400,
  reason: 'parameter_invalid',
  pointers,
});
