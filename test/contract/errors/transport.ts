/** Errors of HTTP itself: no such path or method, bodies that are too large or of another type. */

import { gzipSync } from 'node:zlib';
import type { Expected } from './documented.ts';

export type TransportError = {
  title: string;
  path: string;
  method?: string;
  body?: string | Uint8Array;
  headers?: Record<string, string>;
  answered?: Record<string, string>;
} & Expected;

const large = ' '.repeat(5 * 1024 * 1024);
const itemPath = '/shop/items/product/x';

export const transportErrors: TransportError[] = [
  { title: 'an unknown path', path: '/shop/nothing', status: 404, reason: 'route_unknown' },
  { title: 'a path that is too short', path: '/shop', status: 404, reason: 'route_unknown' },
  { title: 'an empty segment', path: '/shop/items/product/', status: 404, reason: 'route_unknown' },
  {
    title: 'an unknown method',
    path: itemPath,
    method: 'LOCK',
    status: 405,
    reason: 'method_not_allowed',
    answered: { allow: 'PUT, PATCH, DELETE, GET, HEAD, OPTIONS' },
  },
  {
    title: 'a method of another path',
    path: '/shop/events',
    method: 'GET',
    status: 405,
    reason: 'method_not_allowed',
    answered: { allow: 'POST, OPTIONS' },
  },
  {
    title: 'a body above the limit',
    path: itemPath,
    method: 'PUT',
    body: large,
    status: 413,
    reason: 'body_too_large',
  },
  {
    title: 'a packed body above the limit',
    path: itemPath,
    method: 'PUT',
    body: gzipSync(large),
    headers: { 'content-encoding': 'gzip' },
    status: 413,
    reason: 'body_too_large',
  },
  {
    title: 'another media type for events',
    path: '/shop/events',
    method: 'POST',
    body: '<events/>',
    headers: { 'content-type': 'text/xml' },
    status: 415,
    reason: 'media_type_unsupported',
    answered: { accept: 'application/json' },
  },
  {
    title: 'another coding',
    path: '/shop/events',
    method: 'POST',
    body: '{}',
    headers: { 'content-encoding': 'br' },
    status: 415,
    reason: 'media_type_unsupported',
    answered: { 'accept-encoding': 'gzip, identity' },
  },
  {
    title: 'another media type for an item',
    path: itemPath,
    method: 'PUT',
    body: '<item/>',
    headers: { 'content-type': 'text/xml' },
    status: 422,
    reason: 'media_type_unsupported',
  },
  {
    title: 'a form for a configuration',
    path: '/configurations',
    method: 'POST',
    body: 'a=b',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    status: 415,
    reason: 'media_type_unsupported',
  },
  {
    title: 'a missing body',
    path: '/shop/recommendations/requests',
    method: 'POST',
    status: 400,
    reason: 'body_not_json',
  },
  {
    title: 'an unknown query parameter',
    path: '/metrics/clicks?colour=red',
    status: 400,
    reason: 'parameter_invalid',
    pointers: ['query:colour'],
  },
  {
    title: 'a malformed escape',
    path: '/shop/items/product/%zz',
    status: 400,
    reason: 'parameter_invalid',
    pointers: ['path:'],
  },
];
