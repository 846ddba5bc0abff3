/**
 * Scopes limit what a client or a person may do and where: `{name}:*` covers the whole deployment,
 * `{name}:{environment}` one environment. The name is an area, an area with `.read`, or a role.
 *
 * `admin` implies every other area in the same place. Operations without an environment
 * (configurations, metrics over all environments) need `*`.
 */
export const scopeAreas = [
  'items',
  'configurations',
  'events',
  'recommendations',
  'searches',
  'audiences',
  'metrics',
  'explanations',
  'users',
  'admin',
] as const;

/** Kinds of access; each includes those before it. Publishing matters where changes need approval. */
export type Access = 'read' | 'edit' | 'publish';

const rank: Record<Access, number> = { read: 0, edit: 1, publish: 2 };

const read = ['items', 'configurations', 'searches', 'metrics', 'explanations'];
const work = [...read, 'recommendations', 'audiences'];

/** Roles besides `admin`: a bundle of areas, and the most that it may do in them. */
const bundles = new Map<string, { access: Access; areas: readonly string[] }>([
  ['viewer', { access: 'read', areas: read }],
  ['editor', { access: 'edit', areas: work }],
  ['publisher', { access: 'publish', areas: work }],
]);

/** Roles of people, the least first. */
export const roles = [...bundles.keys(), 'admin'];

const names = [...scopeAreas.flatMap((area) => [area, `${area}\\.read`]), ...bundles.keys()].join('|');

/** Environment names follow Environment.name in deployment.proto. */
const place = '(?:\\*|[A-Za-z0-9_.-]{1,64})';
const grammar = new RegExp(`^(?:${names}):${place}$`);
const roleGrammar = new RegExp(`^(?:${roles.join('|')}):${place}$`);

export const isScope = (text: string): boolean => grammar.test(text);

/** Whether a text is a role in a place, such as `editor:shop`. */
export const isRole = (text: string): boolean => roleGrammar.test(text);

export function splitScope(scope: string): [name: string, place: string] {
  const colon = scope.indexOf(':');
  return [scope.slice(0, colon), scope.slice(colon + 1)];
}

/** Whether the scopes grant an access to the area in an environment, or everywhere if undefined. */
export function permits(
  scopes: readonly string[],
  area: string,
  environment: string | undefined,
  access: Access = 'publish',
): boolean {
  return scopes.some((scope) => {
    const [name, at] = splitScope(scope);
    return (at === '*' || at === environment) && grants(name, area, access);
  });
}

/** Whether the scopes grant the access to the area anywhere. */
export function permitsSomewhere(scopes: readonly string[], area: string, access: Access): boolean {
  return scopes.some((scope) => grants(splitScope(scope)[0], area, access));
}

/** Whether a holder of the scopes may grant the wanted one. */
export function includesScope(scopes: readonly string[], wanted: string): boolean {
  const [name, at] = splitScope(wanted);
  const environment = at === '*' ? undefined : at;
  const granted = (area: string, access: Access) =>
    !grants(name, area, access) || permits(scopes, area, environment, access);
  return scopeAreas.every((area) => accesses.every((access) => granted(area, access)));
}

const accesses = Object.keys(rank) as Access[];

function grants(name: string, area: string, access: Access): boolean {
  if (name === area || name === 'admin') return true;
  const bundle = bundles.get(name);
  if (bundle) return rank[access] <= rank[bundle.access] && bundle.areas.includes(area);
  return access === 'read' && (name === `${area}.read` || name === 'admin.read');
}
