/** What starts AVA so that it writes TAP, whatever its failures hold: arguments of Node. */

import { join } from 'node:path';

export const tapOfAva = [join(import.meta.dirname, 'whole-tap.ts'), '--tap'];
