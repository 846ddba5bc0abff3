/** Checks of scopes for clients and calls; their meaning is in formats/scopes.ts. */
import { refuseInvalid, type Violation } from '../errors.ts';
import { isScope, roles, scopeAreas } from '../formats/scopes.ts';

export {
  type Access,
  includesScope,
  isRole,
  isScope,
  permits,
  permitsSomewhere,
  scopeAreas,
  splitScope,
} from '../formats/scopes.ts';

/** Maximum scopes of one client. Keeps its tokens below the limit of 8 KiB. */
export const mostScopes = 64;

/** Returns distinct scopes. @throws BODY_INVALID with a violation for each invalid one. */
export function checkScopes(texts: readonly string[]): string[] {
  return checkTexts(texts, { list: 'scopes', isValid: isScope, explain });
}

type ListCheck = { list: 'scopes' | 'roles'; isValid(text: string): boolean; explain(text: string): string };

/** Returns the distinct texts of a list of 1 to 64. @throws BODY_INVALID with a violation for each invalid one. */
export function checkTexts(texts: readonly string[], { list, isValid, explain }: ListCheck): string[] {
  const violations: Violation[] = texts.flatMap((text, index) =>
    isValid(text) ? [] : [{ pointer: `/${list}/${index}`, detail: explain(text) }],
  );
  const distinct = [...new Set(texts)];
  const pointer = `/${list}`;
  const one = list.slice(0, -1);
  if (distinct.length === 0) violations.push({ pointer, detail: `Give at least one ${one}.` });
  if (distinct.length > mostScopes)
    violations.push({ pointer, detail: `Give at most ${mostScopes} ${list}.` });
  refuseInvalid(violations);
  return distinct;
}

/** Environments of a scope. */
export type Reach = 'everywhere' | readonly string[];

/** Returns the scope that a call lacked, without repeating an impossible environment name. */
export function nameScope(area: string, environment: string | undefined): string {
  const scope = `${area}:${environment}`;
  return environment !== undefined && isScope(scope) ? scope : `${area}:*`;
}

function explain(text: string): string {
  const shown = JSON.stringify(text.slice(0, 100));
  const names = `one of ${scopeAreas.join(', ')}, also with .read behind, or ${roles.slice(0, -1).join(', ')}`;
  return `${shown} is not a scope; write AREA:* or AREA:ENVIRONMENT, AREA being ${names}.`;
}
