/** Arguments of Node that start AVA with a TAP reporter for any failure. */

import { join } from 'node:path';

export const tapOfAva = [join(import.meta.dirname, 'whole-tap.ts'), '--tap'];
