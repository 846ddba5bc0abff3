/**
 * The command line as a file for Node: the package if `npm test` built it, else the sources. The
 * package starts in half the time.
 */

import { resolve } from 'node:path';

export const program = process.env.TEST_PROGRAM ?? resolve(import.meta.dirname, '../../src/main.ts');
