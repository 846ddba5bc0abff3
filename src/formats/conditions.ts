/** Operators of conditions, for the server that parses them and the console that edits them. */

/**
 * Operators that compare a value with operands. `name` is the JSON property, `field` the field of the message.
 * Equality is spelled `match`, `or` and `and` instead.
 */
export const comparisons = [
  { name: 'contains', field: 'contains' },
  { name: 'starts_with', field: 'startsWith' },
  { name: 'gt', field: 'gt' },
  { name: 'gte', field: 'gte' },
  { name: 'lt', field: 'lt' },
  { name: 'lte', field: 'lte' },
] as const;

export type Comparison = (typeof comparisons)[number]['name'];

/** Moment relative to the request, such as `now-7d`: count and unit (minutes, hours, days, weeks). */
export const relativeMoment = /^now-(\d+)([mhdw])$/;
