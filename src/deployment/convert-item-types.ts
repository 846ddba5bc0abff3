/** The item types of an environment, with their properties. */

import type { ItemType, Property, Vector } from '../../gen/es/personalisation/deployment/v1/deployment_pb.js';
import { EventTypeSchema } from '../../gen/es/personalisation/v1/event_pb.js';
import { checkEach, checkName, checkNames, type Faults, within } from './checks.ts';
import {
  type ItemTypeSettings,
  type PropertyDefinition,
  type PropertyType,
  reservedPropertyNames,
  type VectorDefinition,
} from './deployment.ts';

/** Default event types that consume content and goods. */
const contentConsumedBy = ['detail_pageview', 'checkpoint', 'purchase'];
const goodsConsumedBy = ['purchase'];

/** Default of `consumed_at_progress`: the credits need not be watched. */
const usualProgress = 0.9;

export const eventTypeNames = new Set(
  EventTypeSchema.values.map(({ name }) => name.slice('EVENT_TYPE_'.length).toLowerCase()),
);

const isEventType = (name: string) => eventTypeNames.has(name);

export function convertItemTypes(messages: ItemType[], fault: Faults): Map<string, ItemTypeSettings> {
  const itemTypes = new Map<string, ItemTypeSettings>();
  checkNames(messages, fault);
  for (const [i, message] of messages.entries()) {
    checkName(message.name, within(fault, `${i}/name`));
    checkEach(message.consumedBy, isEventType, 'Is not an event type.', within(fault, `${i}/consumed_by`));
    checkGroupOrder(message, within(fault, `${i}/group_order`));
    itemTypes.set(message.name, {
      name: message.name,
      reconsumable: message.reconsumable ?? false,
      consumedBy: new Set(consumedByOf(message)),
      consumedAtPercent: Math.ceil((message.consumedAtProgress ?? usualProgress) * 100 - 1e-9),
      halfLifeHours: message.halfLifeHours || undefined,
      maximumAgeHours: message.maximumAgeHours || undefined,
      properties: convertProperties(message.properties, within(fault, `${i}/properties`)),
      vectors: convertVectors(message, within(fault, `${i}/vectors`)),
      groupOrder: message.groupOrder,
    });
  }
  return itemTypes;
}

function checkGroupOrder({ groupOrder, properties }: ItemType, fault: Faults): void {
  const types = new Map(properties.map(({ name, type }) => [name, type]));
  const isOrdered = (key: string) =>
    key === 'publication_datetime' || ['number', 'datetime'].includes(types.get(key) ?? '');
  checkEach(groupOrder, isOrdered, 'Is neither a number, a datetime nor publication_datetime.', fault);
}

/** Items with a price are goods. */
function consumedByOf({ name, consumedBy, properties }: ItemType): string[] {
  if (consumedBy.length > 0) return consumedBy;
  const isGoods = name === 'product' || properties.some((property) => /(^|_)price$/.test(property.name));
  return isGoods ? goodsConsumedBy : contentConsumedBy;
}

function convertProperties(messages: Property[], fault: Faults): Map<string, PropertyDefinition> {
  const properties = new Map<string, PropertyDefinition>();
  checkNames(messages, fault);
  for (const [i, message] of messages.entries()) {
    if (reservedPropertyNames.has(message.name)) fault(`/${i}/name`, 'Is a field of Item.');
    if (message.searchable?.weight === 0) fault(`/${i}/searchable/weight`, 'Must be above 0.');
    properties.set(message.name, {
      name: message.name,
      type: message.type as PropertyType,
      required: message.required ?? false,
      filterable: message.filterable ?? false,
      returnable: message.returnable ?? false,
      searchWeight: message.searchable && (message.searchable.weight ?? 1),
    });
  }
  return properties;
}

function convertVectors({ vectors, properties }: ItemType, fault: Faults): Map<string, VectorDefinition> {
  checkNames(vectors, fault);
  for (const [i, { name }] of vectors.entries()) {
    if (reservedPropertyNames.has(name)) fault(`/${i}/name`, 'Is a field of Item.');
    if (properties.some((property) => property.name === name))
      fault(`/${i}/name`, 'Is the name of a property.');
  }
  return new Map(vectors.map((vector) => [vector.name, vectorOf(vector)]));
}

function vectorOf({ name, dimensions, metric = 'cosine' }: Vector): VectorDefinition {
  return { name, dimensions, metric: metric as VectorDefinition['metric'] };
}

/** All item types share the vectors of a name, which must be comparable. */
export function joinVectors(
  itemTypes: ReadonlyMap<string, ItemTypeSettings>,
  properties: ReadonlyMap<string, PropertyDefinition>,
  fault: Faults,
): Map<string, VectorDefinition> {
  const joined = new Map<string, VectorDefinition>();
  for (const { vectors } of itemTypes.values())
    for (const vector of vectors.values()) {
      const { name, dimensions, metric } = joined.get(vector.name) ?? vector;
      if (dimensions !== vector.dimensions || metric !== vector.metric)
        fault('', `Vector ${name} has other dimensions or another metric in another item type.`);
      if (properties.has(name)) fault('', `Vector ${name} is a property of another item type.`);
      joined.set(name, vector);
    }
  return joined;
}

/** All item types share one column for each property name, so its type must be the same. */
export function joinProperties(
  itemTypes: ReadonlyMap<string, ItemTypeSettings>,
  fault: Faults,
): Map<string, PropertyDefinition> {
  const joined = new Map<string, PropertyDefinition>();
  for (const itemType of itemTypes.values()) {
    for (const property of itemType.properties.values()) {
      const other = joined.get(property.name);
      if (other && other.type !== property.type) {
        fault(
          '',
          `Property ${property.name} has type ${property.type} in ${itemType.name} and ${other.type} elsewhere.`,
        );
      }
      joined.set(property.name, other ? joinTwo(other, property) : property);
    }
  }
  return joined;
}

/** Searchable in one item type is searchable in all; returnable must be declared in each. */
function joinTwo(one: PropertyDefinition, other: PropertyDefinition): PropertyDefinition {
  return {
    ...other,
    filterable: one.filterable || other.filterable,
    searchWeight: other.searchWeight ?? one.searchWeight,
    returnable: one.returnable && other.returnable,
  };
}
