/**
 * The script of Scalar, which renders an OpenAPI document. Its package for Fastify is the one that holds the script in one
 * piece and needs few others; it is given a stand-in for Fastify, and asked for the script as a browser would ask.
 */

type Reply = { header(): Reply; send(body: string): string };

type Route = { url: string; handler(request: undefined, reply: Reply): string };

type Host = {
  route(route: Route): void;
  hasPlugin(): boolean;
  initialConfig: object;
  log: { warn(): void };
};

type Plugin = (host: Host, options: object, done: () => void) => void;

/** Some four megabytes; read when it is asked for first. */
export async function readRenderer(): Promise<string> {
  const { default: plugin } = await import('@scalar/fastify-api-reference');
  const routes: Route[] = [];
  const host: Host = {
    route: (route) => void routes.push(route),
    hasPlugin: () => false,
    initialConfig: {},
    log: { warn: () => undefined },
  };
  const options = { routePrefix: '/docs', configuration: { url: 'openapi.json' } };
  (plugin as unknown as Plugin)(host, options, () => undefined);
  const route = routes.find(({ url }) => url.endsWith('.js'));
  if (route === undefined) throw new Error('The package of the renderer has no script.');
  const reply: Reply = { header: () => reply, send: (body) => body };
  return route.handler(undefined, reply);
}
