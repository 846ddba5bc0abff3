/**
 * Checks an item against the declarations of its environment: identity, declared properties, and
 * the times of publication and expiry. The contract itself limits types and sizes.
 */

import type {
  ItemTypeSettings,
  PropertyDefinition,
  PropertyType,
  VectorDefinition,
} from '../../deployment/deployment.ts';
import { pointerStep, type Violation } from '../../errors.ts';
import { nearestName } from '../../nearest-name.ts';
import { parseFullMoment } from '../../ranking/runtime/instants.ts';
import { checkId } from '../chain/refuse.ts';
import { vectorFault } from '../messages/vector-query.ts';

export type ItemIdentity = { environment: string; itemType: string; itemId: string };

const longestString = 100_000;
const mostElements = 1_000;

/**
 * Returns the violations of an item.
 *
 * @param document The item as sent; fields of Item already have their types.
 * @param properties Top-level properties that are not fields of Item.
 */
export function checkItem(
  identity: ItemIdentity,
  document: Record<string, unknown>,
  properties: Record<string, unknown>,
  itemType: ItemTypeSettings,
): Violation[] {
  return [
    ...checkIdentity(identity, document),
    ...checkMoment('publication_datetime', document),
    ...checkMoment('expiration_datetime', document),
    ...checkProperties(properties, itemType),
  ];
}

function checkIdentity(identity: ItemIdentity, document: Record<string, unknown>): Violation[] {
  const expected = {
    environment: identity.environment,
    item_type: identity.itemType,
    item_id: identity.itemId,
  };
  return Object.entries(expected).flatMap(([name, value]) => checkId(document[name], value, `/${name}`));
}

function checkMoment(name: string, { [name]: value }: Record<string, unknown>): Violation[] {
  if (typeof value !== 'string' || parseFullMoment(value) !== undefined) return [];
  return [
    {
      pointer: `/${name}`,
      detail: 'Must be RFC 3339 with an offset, e.g. 2026-11-20T09:30:00+01:00.',
    },
  ];
}

function checkProperties(properties: Record<string, unknown>, itemType: ItemTypeSettings): Violation[] {
  const violations: Violation[] = [];
  for (const [name, value] of Object.entries(properties)) {
    const property = itemType.properties.get(name);
    const vector = itemType.vectors.get(name);
    if (!property && !vector) violations.push(unknownProperty(name, itemType));
    else if (value !== null)
      violations.push(...(vector ? checkVector(vector, value) : checkProperty(property!, value)));
  }
  for (const property of itemType.properties.values()) {
    if (property.required && properties[property.name] == null) {
      violations.push({
        pointer: pointerStep(property.name),
        detail: `Is required for item type ${itemType.name}.`,
      });
    }
  }
  return violations;
}

function unknownProperty(name: string, itemType: ItemTypeSettings): Violation {
  const near = nearestName(name, [...itemType.properties.keys(), ...itemType.vectors.keys()]);
  const hint = near ? ` Did you mean ${near}?` : '';
  return {
    pointer: pointerStep(name),
    detail: `Is neither a field of Item nor a declared property of item type ${itemType.name}.${hint}`,
  };
}

function checkProperty(property: PropertyDefinition, value: unknown): Violation[] {
  if (typeChecks[property.type](value)) return [];
  return [{ pointer: pointerStep(property.name), detail: `Must be ${typeNames[property.type]}.` }];
}

function checkVector(vector: VectorDefinition, value: unknown): Violation[] {
  const fault = vectorFault(vector, value);
  return fault === undefined ? [] : [{ pointer: pointerStep(vector.name), detail: fault }];
}

const typeChecks: Record<PropertyType, (value: unknown) => boolean> = {
  string: (value) => typeof value === 'string' && value.length <= longestString,
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  datetime: (value) => typeof value === 'string' && parseFullMoment(value) !== undefined,
  'string[]': (value) =>
    Array.isArray(value) &&
    value.length <= mostElements &&
    value.every((element) => typeof element === 'string' && element.length <= longestString),
};

const typeNames: Record<PropertyType, string> = {
  string: `a string of at most ${longestString} characters`,
  number: 'a number',
  boolean: 'true or false',
  datetime: 'RFC 3339 with an offset',
  'string[]': `an array of at most ${mostElements} strings`,
};
