/** Lets programs of the documents use the clients without building them. */

import { registerHooks } from 'node:module';

const root = new URL('../../../', import.meta.url);

registerHooks({
  resolve: (name, context, next) => {
    const [, client, service] = /^@personalisation\/(\w+)(?:\/contract\/(\w+))?$/.exec(name) ?? [];
    if (client === undefined) return next(name, context);
    const source = service ? `gen/es/personalisation/v1/${service}_pb.js` : `clients/${client}/src/index.ts`;
    return next(new URL(source, root).href, context);
  },
});
