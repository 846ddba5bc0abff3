/**
 * `npm run build:reference`: writes the script of the API reference, Scalar's, to `build/reference`;
 * `npm install` runs it.
 *
 * Fetches the package without its dependencies, which only pages with a build of their own need. If
 * npm cannot fetch it, the installation continues, and `/docs` shows its link to the OpenAPI document.
 */

import { resolve } from 'node:path';
import { fetchFile } from '../bin/node-24.js';

const renderer = '@scalar/api-reference@1.76.0';
const target = resolve(import.meta.dirname, '../build/reference/scalar.js');
const isInstalling = process.argv.includes('--if-possible');

try {
  fetchFile(renderer, 'dist/browser/standalone.js', target);
} catch (error) {
  if (!isInstalling) throw error;
  console.log(`The API reference is not built: npm cannot fetch ${renderer}.`);
}
