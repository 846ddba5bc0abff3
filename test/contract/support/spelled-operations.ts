/** The operations of the contract tests, each in the forms of HTTP and rpc. */

import type { JsonObject } from '@bufbuild/protobuf';
import type { Operation } from './operation.ts';

export type ItemAddress = { environment?: string; itemType?: string; itemId: string };

/** Operators on an item with one or several string values. */
export const textFields = [
  'environment',
  'item_id',
  'item_type',
  'title',
  'description',
  'uri',
  'language',
  'categories',
  'tags',
];

const itemFields = new Set([
  ...textFields,
  'images',
  'item_attributes',
  'publication_datetime',
  'expiration_datetime',
  'group_id',
]);

/** @param item In the form that equals its message: images as objects, categories as paths. */
export function putItem(address: ItemAddress, item?: JsonObject): Operation {
  const message = addressMessage(address);
  if (item !== undefined) message.item = itemMessage(item);
  return { rpc: 'ItemService/PutItem', method: 'PUT', path: itemPath(address), body: item, message };
}

export function createItem(
  { environment = 'shop', itemType = 'product' }: Partial<ItemAddress>,
  item?: JsonObject,
): Operation {
  const message: JsonObject = { environment, item_type: itemType };
  if (item !== undefined) message.item = itemMessage(item);
  const path = `/${environment}/items/${itemType}`;
  return { rpc: 'ItemService/CreateItem', method: 'POST', path, body: item, message };
}

export function getItem(address: ItemAddress): Operation {
  const message = addressMessage(address);
  return { rpc: 'ItemService/GetItem', method: 'GET', path: itemPath(address), message };
}

export function deleteItem(address: ItemAddress): Operation {
  const message = addressMessage(address);
  return { rpc: 'ItemService/DeleteItem', method: 'DELETE', path: itemPath(address), message };
}

export function enableItem(address: ItemAddress): Operation {
  const message = addressMessage(address);
  return { rpc: 'ItemService/EnableItem', method: 'POST', path: `${itemPath(address)}/enable`, message };
}

export function disableItem(address: ItemAddress): Operation {
  const message = addressMessage(address);
  return { rpc: 'ItemService/DisableItem', method: 'POST', path: `${itemPath(address)}/disable`, message };
}

function addressMessage({ environment = 'shop', itemType = 'product', itemId }: ItemAddress): JsonObject {
  return { environment, item_type: itemType, item_id: itemId };
}

export function itemPath({ environment = 'shop', itemType = 'product', itemId }: ItemAddress): string {
  return `/${[environment, 'items', itemType, itemId].map(encodeURIComponent).join('/')}`;
}

function itemMessage(item: JsonObject): JsonObject {
  const entries = Object.entries(item);
  const properties = Object.fromEntries(entries.filter(([name]) => !itemFields.has(name)));
  const fields = Object.fromEntries(entries.filter(([name]) => itemFields.has(name)));
  return { ...fields, properties };
}

export const listConfigurations: Operation = {
  rpc: 'ConfigurationService/ListConfigurations',
  method: 'GET',
  path: '/configurations',
  message: {},
};

/** Annotations begin with `_` in documents only. */
function configurationMessage(configuration: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(configuration).replaceAll(/"_(\w+_explanation)":/g, '"$1":'));
}

/** @param configuration In the form that equals its message: operands as objects in arrays. */
export function createConfiguration(configuration: JsonObject): Operation {
  return {
    rpc: 'ConfigurationService/CreateConfiguration',
    method: 'POST',
    path: '/configurations',
    body: configuration,
    message: { configuration: configurationMessage(configuration) },
  };
}

export function putConfiguration(configurationId: string, configuration: JsonObject): Operation {
  return {
    rpc: 'ConfigurationService/PutConfiguration',
    method: 'PUT',
    path: `/configurations/${encodeURIComponent(configurationId)}`,
    body: configuration,
    message: { configuration_id: configurationId, configuration: configurationMessage(configuration) },
  };
}

export function getConfiguration(configurationId: string): Operation {
  return {
    rpc: 'ConfigurationService/GetConfiguration',
    method: 'GET',
    path: `/configurations/${encodeURIComponent(configurationId)}`,
    message: { configuration_id: configurationId },
  };
}

export function deleteConfiguration(configurationId: string): Operation {
  return {
    rpc: 'ConfigurationService/DeleteConfiguration',
    method: 'DELETE',
    path: `/configurations/${encodeURIComponent(configurationId)}`,
    message: { configuration_id: configurationId },
  };
}

/** @param request Without histories, which differ between JSON and messages. */
export function createRecommendations(request: JsonObject, environment = 'shop'): Operation {
  return {
    rpc: 'RecommendationService/CreateRecommendations',
    method: 'POST',
    path: `/${environment}/recommendations/requests`,
    body: request,
    message: { environment, request },
  };
}

/** The query of a page, and its fields as in the message. */
export type Page = { list_key?: string; offset?: number; limit?: number };

export function getRecommendationList(page: Page, environment = 'shop'): Operation {
  return {
    rpc: 'RecommendationService/GetRecommendationList',
    method: 'GET',
    path: `/${environment}/recommendations/lists${queryOf(page)}`,
    message: { environment, ...page },
  };
}

export function createSearch(request: JsonObject, environment = 'shop'): Operation {
  return {
    rpc: 'SearchService/CreateSearch',
    method: 'POST',
    path: `/${environment}/searches/requests`,
    body: request,
    message: { environment, request },
  };
}

export function getSearchList(page: Page, environment = 'shop'): Operation {
  return {
    rpc: 'SearchService/GetSearchList',
    method: 'GET',
    path: `/${environment}/searches/lists${queryOf(page)}`,
    message: { environment, ...page },
  };
}

export function getCompletions(parameters: Record<string, string>, environment = 'shop'): Operation {
  return {
    rpc: 'SearchService/GetCompletions',
    method: 'GET',
    path: `/${environment}/searches/completions${queryOf(parameters)}`,
    message: { environment, ...parameters },
  };
}

export function createCompletions(request: JsonObject, environment = 'shop'): Operation {
  return {
    rpc: 'SearchService/CreateCompletions',
    method: 'POST',
    path: `/${environment}/searches/completions`,
    body: request,
    message: { environment, request },
  };
}

export function createAudience(body: JsonObject, environment = 'shop'): Operation {
  return {
    rpc: 'AudienceService/CreateAudience',
    method: 'POST',
    path: `/${environment}/targeting/audiences/requests`,
    body,
    message: { environment, ...body },
  };
}

export function getAudience(
  parameters: { audience_id?: string; offset?: number; limit?: number },
  environment = 'shop',
): Operation {
  return {
    rpc: 'AudienceService/GetAudience',
    method: 'GET',
    path: `/${environment}/targeting/audiences${queryOf(parameters)}`,
    message: { environment, ...parameters },
  };
}

export function createEvents(events: JsonObject[], environment = 'shop'): Operation {
  const messages = events.map(({ event_type: type, ...event }) => ({
    ...event,
    ...(typeof type === 'string' && { event_type: `EVENT_TYPE_${type.toUpperCase()}` }),
  }));
  return {
    rpc: 'EventService/CreateEvents',
    method: 'POST',
    path: `/${environment}/events`,
    body: { events },
    message: { environment, batch: { events: messages } },
  };
}

export const listMetrics: Operation = {
  rpc: 'MetricService/ListMetrics',
  method: 'GET',
  path: '/metrics',
  message: {},
};

export type MetricParameters = {
  ascending?: boolean;
  environment?: string;
  limit?: number;
  orderby?: string;
  start_time?: { gte?: string; lt?: string };
};

export function getMetric(metric: string, parameters: MetricParameters = {}): Operation {
  const { start_time: startTime = {}, ...others } = parameters;
  const interval = Object.entries(startTime).map(([end, moment]) => [`start_time[${end}]`, moment]);
  return {
    rpc: 'MetricService/GetMetric',
    method: 'GET',
    path: `/metrics/${metric}${queryOf({ ...others, ...Object.fromEntries(interval) })}`,
    message: { metric, ...parameters },
  };
}

export function createToken(body: JsonObject): Operation {
  return {
    rpc: 'TokenService/CreateToken',
    method: 'POST',
    path: '/oauth/token',
    body,
    message: body,
  };
}

function queryOf(parameters: Record<string, string | number | boolean | undefined>): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  const query = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]));
  return query.size === 0 ? '' : `?${query}`;
}
