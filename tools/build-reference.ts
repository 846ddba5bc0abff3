/**
 * `npm run build:reference`: writes the script of the API reference to `build/reference`; `npm install` runs it.
 *
 * Scalar publishes its script as one file through plugins only, so a Fastify server with the plugin answers once, without a
 * port. Without development dependencies nothing is built, and `/docs` shows its link to the OpenAPI document.
 */

import { mkdirSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';

const folder = resolve(import.meta.dirname, '../build/reference');
const isInstalling = process.argv.includes('--if-possible');

try {
  const [{ fastify }, { default: scalar }] = await Promise.all([
    import('fastify'),
    import('@scalar/fastify-api-reference'),
  ]);
  const server = fastify();
  await server.register(scalar, { routePrefix: '/docs', configuration: { url: 'openapi.json' } });
  const { body, statusCode } = await server.inject('/docs/js/scalar.js');
  if (statusCode !== 200) throw new Error(`The plugin answers ${statusCode} for its script.`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(resolve(folder, 'scalar.js'), body);
} catch (error) {
  const isAbsent = (error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND';
  if (!isInstalling || !isAbsent) throw error;
  console.log('The API reference is not built: development dependencies are absent.');
}
