/**
 * Reads configuration variables for one list: from the request, or from the metadata of the context
 * item or of the items in the subject's history.
 */

import { opinionOf } from '../../events/meaning.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { History, HistoryEntry } from '../history.ts';
import type { VariableLookup } from '../rules/bind.ts';
import { type Configuration, queriesOf, type Scalar, type Variable } from '../rules/types.ts';
import type { HistoryVariable, VariableReader } from './recommendation-request.ts';

/** Most values of a variable of the history. */
export const mostHistoryValues = 50;

const daySeconds = 86_400;

export type VariableSources = {
  readRequest: VariableReader;
  catalog: Catalog;
  /** Catalogue position of the context item [none]. */
  contextIndex?: number;
  /** Absent if unknown, as in searches: variables of the history are then absent. */
  history?: Pick<History, 'entries' | 'consumed'>;
  nowMs: number;
};

export function createVariableLookup(sources: VariableSources): VariableLookup {
  const { readRequest, catalog, contextIndex } = sources;
  /** Binding asks for each variable several times. */
  const known = new Map<Variable, Scalar[]>();
  return (variable) => {
    const { name, context } = variable;
    if (context === 'request_body') return readRequest(name);
    if (context === 'history') {
      const values = known.get(variable) ?? historyValues(variable, sources);
      known.set(variable, values);
      return present(values);
    }
    return contextIndex === undefined
      ? undefined
      : present(catalog.column(name)?.valuesAt(contextIndex) ?? []);
  };
}

const present = (values: readonly Scalar[]) => (values.length > 0 ? values : undefined);

/**
 * Returns the distinct values of the items of matching events, those of the newest event first.
 * Negative interactions do not count, or only the latest opinions of disliked items.
 */
function historyValues(
  { name, events, days = Number.POSITIVE_INFINITY, maxValues = mostHistoryValues, disliked }: Variable,
  { catalog, history, nowMs }: Omit<VariableSources, 'readRequest'>,
): Scalar[] {
  const column = catalog.column(name);
  if (!history || !column) return [];
  const oldest = nowMs / 1000 - days * daySeconds;
  const counts = ({ eventType, occurredAtSeconds }: HistoryEntry) =>
    occurredAtSeconds >= oldest && (events === undefined || events.includes(eventType));
  const newest = [...history.entries, ...history.consumed].sort(
    (a, b) => b.occurredAtSeconds - a.occurredAtSeconds,
  );
  const isNegative = (entry: HistoryEntry) => opinionIn(entry) === -1;
  const indexOf = ({ itemId, itemType }: HistoryEntry) => catalog.indexOfId(itemId, itemType || undefined);
  const matching = (
    disliked
      ? latestOpinions(newest, indexOf).filter(isNegative)
      : newest.filter((entry) => !isNegative(entry))
  ).filter(counts);
  const values = new Set<Scalar>();
  for (const entry of matching) {
    const itemIndex = indexOf(entry);
    if (itemIndex === undefined) continue;
    for (const value of column.valuesAt(itemIndex)) {
      values.add(value);
      if (values.size === maxValues) return [...values];
    }
  }
  return [...values];
}

const opinionIn = ({ eventType, qualifier }: HistoryEntry) => opinionOf(eventType, qualifier, {});

/** Returns the latest entry with an opinion of each item. */
function latestOpinions(newest: readonly HistoryEntry[], indexOf: (entry: HistoryEntry) => unknown) {
  const latest = new Map<unknown, HistoryEntry>();
  for (const entry of newest.filter((one) => opinionIn(one) !== undefined))
    if (!latest.has(indexOf(entry))) latest.set(indexOf(entry), entry);
  return [...latest.values()];
}

/** Returns the values of each distinct variable of the history that the configuration reads. */
export function explainVariables(
  configuration: Configuration,
  sources: Omit<VariableSources, 'readRequest'>,
): HistoryVariable[] {
  const ofHistory = variablesOf(configuration).filter(({ context }) => context === 'history');
  const explained = ofHistory.map((variable) => ({
    name: variable.name,
    events: [...(variable.events ?? [])],
    days: variable.days,
    disliked: variable.disliked,
    values: historyValues(variable, sources).map(String),
  }));
  return [...new Map(explained.map((one) => [JSON.stringify(one), one])).values()];
}

/** Returns scalars and arrays of scalars; any other value is absent. */
export function toVariable(value: unknown): Scalar | Scalar[] | undefined {
  if (isScalar(value)) return value;
  return Array.isArray(value) && value.every(isScalar) ? value : undefined;
}

function isScalar(value: unknown): value is Scalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** Returns the variables that the configuration's conditions read. */
export function variablesOf({ rules, preferences }: Configuration): Variable[] {
  const queries = [...rules, ...preferences].flatMap(queriesOf);
  const operands = queries.flatMap(({ tests }) =>
    tests.flatMap((one) => ('operands' in one ? one.operands : [])),
  );
  return operands.flatMap((operand) => ('variable' in operand ? [operand.variable] : []));
}
