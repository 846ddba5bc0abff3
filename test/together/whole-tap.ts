/**
 * AVA's command with a TAP reporter that survives failures with `undefined`, such as an error with
 * a one-line stack. Without it, the run ends at such a failure, because js-yaml, which supertap
 * uses, refuses undefined values by default.
 *
 * It is a separate program, because a module preloaded by Node would be loaded in every test
 * process and thread too.
 */

import { createRequire } from 'node:module';

type SafeDump = (value: unknown, options?: object) => string;

const ofAva = createRequire(import.meta.resolve('ava'));
const yaml: { safeDump: SafeDump } = createRequire(ofAva.resolve('supertap'))('js-yaml');
const { safeDump } = yaml;
yaml.safeDump = (value, options) => safeDump(value, { skipInvalid: true, ...options });

await import(new URL('../../node_modules/ava/entrypoints/cli.mjs', import.meta.url).href);
