/** The version of the service. */

import packageJson from '../package.json' with { type: 'json' };

/** Version of the package, e.g. `0.1.0`. */
export const version: string = packageJson.version;
