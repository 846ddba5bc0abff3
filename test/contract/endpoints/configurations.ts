/** Documented answers for configurations. */

import {
  createConfiguration,
  deleteConfiguration,
  getConfiguration,
  listConfigurations,
  putConfiguration,
} from '../support/spelled-operations.ts';
import {
  bodyInvalid,
  configurationUnknown,
  type Endpoints,
  noToken,
  notJson,
  stored,
  unauthenticated,
} from './row.ts';

const unsupported = { constraints: [{ query: { key: 'title', regex: '.*' } }] };

export const configurationEndpoints: Endpoints = {
  'GET /configurations': [
    { meaning: 'token missing', operation: listConfigurations, expected: unauthenticated, ...noToken },
  ],
  'GET /configurations/{configuration_id}': [
    {
      meaning: 'configuration',
      operation: getConfiguration('stored'),
      expected: { status: 200, body: stored },
    },
    { meaning: 'not found', operation: getConfiguration('unknown'), expected: configurationUnknown },
  ],
  'POST /configurations': [
    {
      meaning: 'stored',
      operation: createConfiguration({ ...stored, configuration_id: 'posted' }),
      expected: { status: 200, body: {} },
    },
    {
      meaning: 'missing mandatory information',
      operation: createConfiguration({ constraints: [] }),
      expected: bodyInvalid(400, '/configuration_id'),
    },
    {
      meaning: 'not JSON',
      operation: notJson(createConfiguration({})),
      expected: { status: 415, reason: 'body_not_json' },
      httpOnly: true,
    },
    {
      meaning: 'functionality not supported',
      operation: { ...createConfiguration({}), body: { configuration_id: 'x', ...unsupported } },
      expected: { status: 501, reason: 'operator_unsupported', pointers: ['/constraints/0/query/regex'] },
      httpOnly: true,
    },
  ],
  'PUT /configurations/{configuration_id}': [
    {
      meaning: 'stored',
      operation: putConfiguration('put', { constraints: stored.constraints }),
      expected: { status: 200, body: {} },
    },
    {
      meaning: 'malformed',
      operation: putConfiguration('put', { configuration_id: 'other' }),
      expected: bodyInvalid(400, '/configuration_id'),
    },
    {
      meaning: 'not JSON',
      operation: notJson(putConfiguration('put', {})),
      expected: { status: 415, reason: 'body_not_json' },
      httpOnly: true,
    },
    {
      meaning: 'functionality not supported',
      operation: { ...putConfiguration('put', {}), body: unsupported },
      expected: { status: 501, reason: 'operator_unsupported', pointers: ['/constraints/0/query/regex'] },
      httpOnly: true,
    },
  ],
  'DELETE /configurations/{configuration_id}': [
    {
      meaning: 'deleted',
      operation: deleteConfiguration('deleted'),
      expected: { status: 200, body: {} },
      given: [putConfiguration('deleted', {})],
    },
    { meaning: 'not found', operation: deleteConfiguration('unknown'), expected: configurationUnknown },
  ],
};
