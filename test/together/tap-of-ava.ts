/** What starts AVA so that it writes TAP, whatever its failures hold: arguments of Node. */

import { join } from 'node:path';

const whole = new URL('whole-tap.ts', import.meta.url).href;
const cli = join(import.meta.dirname, '../../node_modules/ava/entrypoints/cli.mjs');

export const tapOfAva = ['--import', whole, cli, '--tap'];
