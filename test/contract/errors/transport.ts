/**
 * Errors of HTTP itself by path and method. Bodies, encodings and malformed addresses:
 * servers/gateway/gateway.test.ts and bad-input.test.ts.
 */

import type { Expected } from './documented.ts';

export type TransportError = {
  title: string;
  path: string;
  method?: string;
  body?: string;
  headers?: Record<string, string>;
  answered?: Record<string, string>;
} & Expected;

const itemPath = '/shop/items/product/x';

export const transportErrors: TransportError[] = [
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
    title: 'a missing body',
    path: '/shop/recommendations/requests',
    method: 'POST',
    status: 400,
    reason: 'body_not_json',
  },
];
