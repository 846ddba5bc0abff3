/**
 * The command line as a file for Node: what is packed, where `npm test` made it, and else the sources. The packed one starts
 * in half the time.
 */

import { resolve } from 'node:path';

export const program = process.env.TEST_PROGRAM ?? resolve(import.meta.dirname, '../../src/main.ts');
