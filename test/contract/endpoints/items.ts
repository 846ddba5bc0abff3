/** Documented answers for the item catalogue. */

import {
  createItem,
  deleteItem,
  disableItem,
  enableItem,
  getItem,
  putItem,
} from '../support/spelled-operations.ts';
import {
  badToken,
  bodyInvalid,
  chair,
  type Endpoints,
  known,
  noToken,
  notJson,
  unauthenticated,
  unknown,
} from './row.ts';

const itemUnknown = { status: 404, reason: 'item_unknown' };
const itemTypeUnknown = { status: 404, reason: 'item_type_unknown' };

export const itemEndpoints: Endpoints = {
  'PUT /{environment}/items/{item_type}/{item_id}': [
    { meaning: 'added', operation: putItem({ itemId: 'put' }, chair), expected: { status: 200, body: {} } },
    { meaning: 'updated', operation: putItem({ itemId: 'put' }, chair), expected: { status: 200, body: {} } },
    { meaning: 'touched', operation: putItem(known), expected: { status: 200, body: {} } },
    { meaning: 'token missing', operation: putItem(known, chair), expected: unauthenticated, ...noToken },
    { meaning: 'token invalid', operation: putItem(known, chair), expected: unauthenticated, ...badToken },
    {
      meaning: 'item type not configured',
      operation: putItem({ itemType: 'film', itemId: 'x' }, chair),
      expected: itemTypeUnknown,
    },
    { meaning: 'item id not yet known', operation: putItem(unknown), expected: itemUnknown },
    {
      meaning: 'body does not match the item specification',
      operation: putItem(known, { price: 'dear', colour: 'red' }),
      expected: bodyInvalid(415, '/price', '/colour'),
    },
    {
      meaning: 'body not JSON',
      operation: notJson(putItem(known)),
      expected: { status: 422, reason: 'body_not_json' },
      httpOnly: true,
    },
  ],
  'POST /{environment}/items/{item_type}': [
    {
      meaning: 'stored',
      operation: createItem({}, { item_id: 'posted', ...chair }),
      expected: { status: 200, body: {} },
    },
    {
      meaning: 'token missing',
      operation: createItem({}, { item_id: 'posted' }),
      expected: unauthenticated,
      ...noToken,
    },
    {
      meaning: 'item type not configured',
      operation: createItem({ itemType: 'film' }, { item_id: 'posted' }),
      expected: itemTypeUnknown,
    },
    { meaning: 'no item_id', operation: createItem({}, chair), expected: bodyInvalid(415, '/item_id') },
    { meaning: 'no body', operation: createItem({}), expected: bodyInvalid(415, '') },
    {
      meaning: 'body not JSON',
      operation: notJson(createItem({})),
      expected: { status: 422, reason: 'body_not_json' },
      httpOnly: true,
    },
  ],
  'DELETE /{environment}/items/{item_type}/{item_id}': [
    {
      meaning: 'item disabled',
      operation: deleteItem({ itemId: 'deleted' }),
      expected: { status: 200, body: {} },
      given: [putItem({ itemId: 'deleted' }, chair)],
    },
    { meaning: 'token missing', operation: deleteItem(known), expected: unauthenticated, ...noToken },
    { meaning: 'item id not yet known', operation: deleteItem(unknown), expected: itemUnknown },
  ],
  'POST /{environment}/items/{item_type}/{item_id}/enable': [
    { meaning: 'enabled', operation: enableItem(known), expected: { status: 200, body: {} } },
    {
      meaning: 'error in request',
      operation: enableItem(unknown),
      expected: { ...itemUnknown, status: 400 },
    },
    {
      meaning: 'item type not configured',
      operation: enableItem({ itemType: 'film', itemId: 'x' }),
      expected: { ...itemTypeUnknown, status: 400 },
    },
  ],
  'POST /{environment}/items/{item_type}/{item_id}/disable': [
    {
      meaning: 'disabled',
      operation: disableItem({ itemId: 'disabled' }),
      expected: { status: 200, body: {} },
      given: [putItem({ itemId: 'disabled' }, chair)],
    },
    {
      meaning: 'error in request',
      operation: disableItem(unknown),
      expected: { ...itemUnknown, status: 400 },
    },
  ],
  'GET /{environment}/items/{item_type}/{item_id}': [
    {
      meaning: 'retrieved',
      operation: getItem(known),
      expected: {
        status: 200,
        body: { ...chair, environment: 'shop', item_type: 'product', item_id: 'known' },
      },
    },
    { meaning: 'token missing', operation: getItem(known), expected: unauthenticated, ...noToken },
    { meaning: 'item id not yet known', operation: getItem(unknown), expected: itemUnknown },
  ],
};
