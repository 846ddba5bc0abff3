/** Documents of the Universal Commerce Protocol: the envelope of answers, the profile, and the extension's schema. */

import type { JsonObject } from '@bufbuild/protobuf';
import type { ShoppingSettings } from '../../deployment/deployment.ts';

const version = '2026-04-08';
const site = `https://ucp.dev/${version}`;

export const searchCapability = 'dev.ucp.shopping.catalog.search';
export const lookupCapability = 'dev.ucp.shopping.catalog.lookup';

export const profilePath = '/.well-known/ucp';
export const extensionPath = `${profilePath}/recommendations.json`;

/** Adds the metadata of an answer. */
export function envelopeOf(capability: string, answer: JsonObject, status = 'success'): JsonObject {
  return { ucp: { version, status, capabilities: { [capability]: [{ version }] } }, ...answer };
}

/** Returns the name of the extension, in the namespace of the host: `example.shop.recommendations`. */
export function recommendationsOf({ url }: ShoppingSettings): string {
  const labels = new URL(url).hostname.split('.').reverse();
  const names = labels.map((label) => label.replace(/[^a-z0-9]/g, '_').replace(/^(?![a-z])/, 'x'));
  return [names[0].replaceAll('_', ''), ...names.slice(1), 'recommendations'].join('.');
}

/** Returns the business profile, which agents read first. */
export function profileOf(shopping: ShoppingSettings): JsonObject {
  const { url } = shopping;
  const catalog = (name: string) => [
    {
      version,
      spec: `${site}/specification/catalog/${name}`,
      schema: `${site}/schemas/shopping/catalog_${name}.json`,
    },
  ];
  const extension = { version, spec: url + extensionPath, schema: url + extensionPath };
  return {
    ucp: {
      version,
      services: {
        'dev.ucp.shopping': [
          {
            version,
            spec: `${site}/specification/overview`,
            transport: 'mcp',
            schema: `${site}/services/shopping/mcp.openrpc.json`,
            endpoint: `${url}/mcp`,
          },
        ],
      },
      capabilities: {
        [searchCapability]: catalog('search'),
        [lookupCapability]: catalog('lookup'),
        [recommendationsOf(shopping)]: [{ ...extension, extends: searchCapability }],
      },
      payment_handlers: {},
    },
  };
}

/** Returns the JSON Schema of the extension: requests of get_recommendations, and answers like those of a search. */
export function extensionSchemaOf(shopping: ShoppingSettings): JsonObject {
  const response = `${site}/schemas/shopping/catalog_search.json#/$defs/search_response`;
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: shopping.url + extensionPath,
    name: recommendationsOf(shopping),
    title: 'Recommendations',
    description: 'The MCP tool get_recommendations: products for a shopper, or beside a product.',
    type: 'object',
    $defs: {
      recommendations_request: {
        type: 'object',
        properties: {
          product_id: { type: 'string', description: 'Product beside which to recommend.' },
          limit: { type: 'integer', minimum: 1, default: 10, description: 'Products to return.' },
        },
      },
      recommendations_response: { $ref: response },
    },
  };
}
