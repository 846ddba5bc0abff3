/** The parts of the OpenAPI document that no message of the protos describes. */

import type { JsonObject } from '@bufbuild/protobuf';

/** An error, RFC 9457. */
export const problemSchema: JsonObject = {
  type: 'object',
  description: 'An error, by RFC 9457.',
  properties: {
    type: {
      type: 'string',
      description: 'URN of the reason, e.g. `urn:personalisation:error:list_unknown`.',
    },
    title: { type: 'string', description: 'The reason for people.' },
    status: { type: 'integer', description: 'The HTTP status.' },
    detail: { type: 'string', description: 'One sentence for the developer of the caller.' },
    request_id: {
      type: 'string',
      description: 'Finds the request in the log; also in the header `x-request-id`.',
    },
    errors: {
      type: 'array',
      description: 'The fields that are wrong.',
      items: {
        type: 'object',
        properties: {
          pointer: {
            type: 'string',
            description: 'RFC 6901 pointer into the body, or `query:NAME` or `path:NAME`.',
          },
          detail: { type: 'string', description: 'What to do about it.' },
        },
        required: ['pointer', 'detail'],
      },
    },
  },
  required: ['type', 'title', 'status', 'detail', 'request_id'],
};

/** Access tokens with these scopes, and write keys. */
export function securitySchemes(scopes: ReadonlySet<string>): JsonObject {
  return {
    token: {
      type: 'oauth2',
      description:
        'Access tokens by client credentials. A scope covers all environments (`:*`) or one (`:ENVIRONMENT`). Operations of the scopes that the deployment makes public (by default recommendations and searches) need none; a token that is sent must be valid.',
      flows: {
        clientCredentials: {
          tokenUrl: 'oauth/token',
          scopes: Object.fromEntries([...scopes].map((scope) => [`${scope}:*`, `All ${scope}.`])),
        },
      },
    },
    write_key: {
      type: 'apiKey',
      in: 'query',
      name: 'write_key',
      description: 'Public credential of a front end: sends events of one environment from listed origins.',
    },
  };
}
