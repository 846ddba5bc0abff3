/**
 * Reports a paid order from the shop's server: `node order.ts DEVICE_ID trail-boots wool-socks`.
 */

import { readFileSync } from 'node:fs';
import { createPersonalisation } from '@personalisation/node';

/** As `npm start` has them. */
const { PORT = '8080', DATA_DIR = '.data' } = process.env;
const credentials = JSON.parse(readFileSync(`${DATA_DIR}/admin-credentials.json`, 'utf8'));
const client = createPersonalisation({
  baseUrl: `http://localhost:${PORT}`,
  environment: 'shop',
  credentials: { clientId: credentials.client_id, clientSecret: credentials.client_secret },
});

const [deviceId, ...products] = process.argv.slice(2);
const orderId = `order-${Date.now()}`;
for (const actionItem of products)
  client.track({
    eventType: 'purchase',
    eventId: `${orderId}/${actionItem}`, // sent twice, it counts once
    deviceId, // the cookie `personalisation_device` of the request that ordered
    actionItem,
    amount: 1,
    purchasedPrice: 49,
  });
await client.close(); // all of it has arrived
console.log(`${orderId}: ${products.length} products`);
