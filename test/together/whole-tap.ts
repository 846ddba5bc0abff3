/**
 * AVA's command, whose TAP reporter survives failures that hold `undefined`, such as an error whose stack is one line: it
 * is thrown away with all tests that were still to come, because js-yaml, by which supertap writes them, refuses what YAML
 * lacks unless it is told to leave it out.
 *
 * A program of its own, not one that Node loads before AVA: every test process and thread would load that too.
 */

import { createRequire } from 'node:module';

type SafeDump = (value: unknown, options?: object) => string;

const ofAva = createRequire(import.meta.resolve('ava'));
const yaml: { safeDump: SafeDump } = createRequire(ofAva.resolve('supertap'))('js-yaml');
const { safeDump } = yaml;
yaml.safeDump = (value, options) => safeDump(value, { skipInvalid: true, ...options });

await import(new URL('../../node_modules/ava/entrypoints/cli.mjs', import.meta.url).href);
