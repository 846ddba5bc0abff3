/** Operators of conditions, for the server that parses them and the console that edits them. */

/**
 * Operators that compare a value with operands. `name` is the JSON property, `field` the field of the message, `label` the text
 * between a property and its values. Equality is spelled `match`, `or` and `and` instead.
 */
export const comparisons = [
  { name: 'contains', field: 'contains', label: 'contains' },
  { name: 'starts_with', field: 'startsWith', label: 'starts with' },
  { name: 'gt', field: 'gt', label: 'above' },
  { name: 'gte', field: 'gte', label: 'at least' },
  { name: 'lt', field: 'lt', label: 'below' },
  { name: 'lte', field: 'lte', label: 'at most' },
] as const;

export type Comparison = (typeof comparisons)[number]['name'];

/** Moment relative to the request, such as `now-7d`: count and unit (minutes, hours, days, weeks). */
export const relativeMoment = /^now-(\d+)([mhdw])$/;
