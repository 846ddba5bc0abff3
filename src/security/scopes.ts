/**
 * Scopes limit what a client may do and where. `{area}:*` covers the whole deployment,
 * `{area}:{environment}` one environment.
 *
 * `admin` implies every other area in the same place. Operations without an environment
 * (configurations, metrics over all environments) need `*`.
 */
import { DomainError, type Violation } from '../errors.ts';

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

/** Maximum scopes of one client. Keeps its tokens below the limit of 8 KiB. */
export const mostScopes = 64;

/** Environment names follow Environment.name in deployment.proto. */
const grammar = new RegExp(`^(?:${scopeAreas.join('|')}):(?:\\*|[A-Za-z0-9_.-]{1,64})$`);

const colon = ':'.charCodeAt(0);

export function isScope(text: string): boolean {
  return grammar.test(text);
}

/** Returns distinct scopes. @throws BODY_INVALID with a violation for each invalid one. */
export function checkScopes(texts: readonly string[]): string[] {
  const violations: Violation[] = texts.flatMap((text, index) =>
    isScope(text) ? [] : [{ pointer: `/scopes/${index}`, detail: explain(text) }],
  );
  const scopes = [...new Set(texts)];
  if (scopes.length === 0) violations.push({ pointer: '/scopes', detail: 'Give at least one scope.' });
  if (scopes.length > mostScopes)
    violations.push({ pointer: '/scopes', detail: `Give at most ${mostScopes} scopes.` });
  if (violations.length > 0) throw new DomainError('BODY_INVALID', violations[0].detail, { violations });
  return scopes;
}

/** Whether the scopes grant the area in an environment, or everywhere if undefined. */
export function permits(scopes: readonly string[], area: string, environment: string | undefined): boolean {
  return scopes.some((scope) => reaches(scope, area, environment) || reaches(scope, 'admin', environment));
}

/** Returns whether the scopes grant the area anywhere. */
export function permitsSomewhere(scopes: readonly string[], area: string): boolean {
  return scopes.some((scope) => scope.startsWith(`${area}:`) || scope.startsWith('admin:'));
}

/** Environments of a scope. */
export type Reach = 'everywhere' | readonly string[];

/** Returns where the scopes grant the area. */
export function reachOf(scopes: readonly string[], area: string): Reach {
  if (permits(scopes, area, undefined)) return 'everywhere';
  const granting = scopes.filter((scope) => permitsSomewhere([scope], area));
  return granting.map((scope) => scope.slice(scope.indexOf(':') + 1));
}

/** Returns whether a holder of the scopes may grant the wanted one. */
export function includesScope(scopes: readonly string[], wanted: string): boolean {
  const [area, place] = wanted.split(':');
  return permits(scopes, area, place === '*' ? undefined : place);
}

/** Returns the scope that a call lacked, without repeating an impossible environment name. */
export function nameScope(area: string, environment: string | undefined): string {
  const scope = `${area}:${environment}`;
  return environment !== undefined && isScope(scope) ? scope : `${area}:*`;
}

function reaches(scope: string, area: string, environment: string | undefined): boolean {
  if (scope.charCodeAt(area.length) !== colon || !scope.startsWith(area)) return false;
  const place = scope.slice(area.length + 1);
  return place === '*' || place === environment;
}

function explain(text: string): string {
  const shown = JSON.stringify(text.slice(0, 100));
  return `${shown} is not a scope; write AREA:* or AREA:ENVIRONMENT, AREA being one of ${scopeAreas.join(', ')}.`;
}
