/**
 * The echo: a plain `node:http` server that parses a recommendation request and answers the requested number of items. Runs
 * as a separate process and prints its port.
 */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = JSON.stringify(answerOf(JSON.parse(Buffer.concat(chunks).toString('utf8'))));
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    });
    response.end(body);
  });
});

type Asked = { device_id: string; user_id: string; lists: { list_name: string; list_size: number }[] };

function answerOf({ device_id, user_id, lists }: Asked) {
  return {
    device_id,
    user_id,
    request_id: 'echo',
    lists: lists.map(({ list_name, list_size }) => ({
      list_name,
      list_size,
      items: Array.from({ length: list_size }, (_, place) => ({
        item_id: `product-${place}`,
        rank: place + 1,
      })),
    })),
  };
}

server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
