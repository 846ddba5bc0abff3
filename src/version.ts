/** Which version this is. */

import packageJson from '../package.json' with { type: 'json' };

/** Of the package, e.g. `0.1.0`. */
export const version: string = packageJson.version;
