/**
 * fast-check with one seed for all, so that a property holds on every machine or on none. `PROPERTY_SEED=7 npm test` looks at other
 * examples.
 */

import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env.PROPERTY_SEED ?? 1) });

export { fc };
