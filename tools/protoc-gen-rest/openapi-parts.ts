/** The parts of the OpenAPI document that no message of the protos describes. */

import type { JsonObject } from '@bufbuild/protobuf';

/** An error, RFC 9457. */
export const problemSchema: JsonObject = {
  type: 'object',
  description: 'An error, by RFC 9457.',
  properties: {
    type: {
      type: 'string',
      description:
        'Address of the page of the reason, e.g. `/api/docs/errors/LIST_UNKNOWN`: its cause and what to do about it.',
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

/** The groups of operations, in the order in which a newcomer needs them. A service that is not here follows under its name. */
export const groups: ReadonlyMap<string, string> = new Map([
  ['TokenService', 'Access'],
  ['EnvironmentService', 'Environments'],
  ['ItemService', 'Catalogue'],
  ['CatalogueService', 'Catalogue'],
  ['ImportService', 'Catalogue'],
  ['EventService', 'Events'],
  ['ConfigurationService', 'Configurations'],
  ['RecommendationService', 'Recommendations'],
  ['BatchService', 'Batches'],
  ['SearchService', 'Search'],
  ['SynonymService', 'Search'],
  ['BlockedQueryService', 'Search'],
  ['AudienceService', 'Audiences'],
  ['UserService', 'Users'],
  ['MetricService', 'Metrics'],
  ['PerformanceService', 'Metrics'],
  ['ViewService', 'Metrics'],
  ['AlertService', 'Metrics'],
  ['GuaranteeService', 'Metrics'],
  ['ExperimentService', 'Experiments'],
  ['TrainingService', 'Trainings'],
  ['DiagnosisService', 'Diagnosis'],
  ['AuditService', 'Audit'],
  ['ChangeService', 'Webhooks and changes'],
  ['WebhookService', 'Webhooks and changes'],
  ['InterestService', 'Webhooks and changes'],
]);

/** What the reference begins with, as Markdown. */
export const introduction = `Recommendations, search, audiences, events and metrics for sites and apps.

1. Get a token with the credentials of a client; recommendations and searches are public unless the deployment says otherwise.
2. Store the items of the catalogue and the configurations that shape lists.
3. Send events as they happen. They count as soon as they are answered.
4. Request lists, results and completions, and show them with the \`request_id\` that came with them.

The examples were made by calling the demo, and run on it as they are. A property that is null counts as absent. Every error is an
\`application/problem+json\` document whose \`type\` leads to a page with its cause and what to do about it.`;

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
    access_token: {
      type: 'http',
      scheme: 'bearer',
      description: 'An access token that one has already.',
    },
    write_key: {
      type: 'apiKey',
      in: 'query',
      name: 'write_key',
      description: 'Public credential of a front end: sends events of one environment from listed origins.',
    },
  };
}
