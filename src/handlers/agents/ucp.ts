/** Documents of the Universal Commerce Protocol: the envelope of answers, the profile, and the extension's schema. */

import type { JsonObject } from '@bufbuild/protobuf';
import type { ShoppingSettings } from '../../deployment/agent-settings.ts';

const version = '2026-04-08';
const site = `https://ucp.dev/${version}`;

export const searchCapability = 'dev.ucp.shopping.catalog.search';
export const lookupCapability = 'dev.ucp.shopping.catalog.lookup';

export const profilePath = '/.well-known/ucp';
export const extensionPath = `${profilePath}/recommendations.json`;

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
  const address = shopping.url + extensionPath;
  const catalog = (name: string) => {
    const schema = `${site}/schemas/shopping/catalog_${name}.json`;
    return [{ version, spec: `${site}/specification/catalog/${name}`, schema }];
  };
  const service = {
    ...{ version, transport: 'mcp', endpoint: `${shopping.url}/mcp` },
    spec: `${site}/specification/overview`,
    schema: `${site}/services/shopping/mcp.openrpc.json`,
  };
  const capabilities = {
    [searchCapability]: catalog('search'),
    [lookupCapability]: catalog('lookup'),
    [recommendationsOf(shopping)]: [{ version, spec: address, schema: address, extends: searchCapability }],
  };
  return {
    ucp: { version, services: { 'dev.ucp.shopping': [service] }, capabilities, payment_handlers: {} },
  };
}

/** Returns the JSON Schema of the extension, whose answers are those of a search. */
export function extensionSchemaOf(shopping: ShoppingSettings): JsonObject {
  const response = `${site}/schemas/shopping/catalog_search.json#/$defs/search_response`;
  const properties = { product_id: { type: 'string' }, limit: { type: 'integer', minimum: 1, default: 10 } };
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: shopping.url + extensionPath,
    name: recommendationsOf(shopping),
    description: 'The MCP tool get_recommendations: products in general, or beside the product product_id.',
    $defs: {
      recommendations_request: { type: 'object', properties },
      recommendations_response: { $ref: response },
    },
  };
}
