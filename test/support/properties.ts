/**
 * fast-check with a fixed seed, so that properties are checked on the same examples everywhere.
 * `PROPERTY_SEED=7 npm test` uses others.
 */

import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env.PROPERTY_SEED ?? 1) });

export { fc };
