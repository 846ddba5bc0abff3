/** The named vectors of an environment's items, and the items that resemble vectors or other items. */

import type { VectorDefinition } from '../../deployment/deployment.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { createVectorMatrix, lengthOf, type Similar, type VectorMatrix } from './vector-matrix.ts';

/** See VectorQuery in recommendation.proto. */
export type VectorQuery = {
  name: string;
  /** Empty without a vector of the caller. */
  values: readonly number[];
  /** Item IDs. */
  like: readonly string[];
  unlike: readonly string[];
  /** Share of similarity in a score, above 0 and at most 1 [similarity decides by rank]. */
  weight?: number;
};

/** Similar items, most similar first, without the items of the query. */
export type SimilarItems = Similar & {
  /** Positions of the `like` items that have the vector. */
  liked: number[];
  /** Positions of all `like` and `unlike` items. */
  named: number[];
  /** As in the query. */
  weight?: number;
};

/** Weight of dissimilar items beside similar ones. */
const unlikeWeight = 0.5;

/** Returns the most similar of the admitted items. */
export type FindSimilar = (wanted: number, admits: (itemIndex: number) => boolean) => SimilarItems;

export type ItemVectors = {
  /** Takes the vectors of an item's document, and forgets those that it no longer has. */
  write(itemIndex: number, document: Readonly<Record<string, unknown>>): void;
  /** Scans all vectors of the name, in slices of time; undefined if nothing of the query is known. */
  scan(query: VectorQuery): Promise<FindSimilar | undefined>;
  /** The vectors in use by name, as they are now. */
  rows(): ReturnType<VectorMatrix['rows']>[];
  sizes(): { name: string; dimensions: number; metric: string; itemCount: number; bytes: number }[];
};

export function createItemVectors(
  definitions: ReadonlyMap<string, VectorDefinition>,
  catalog: Pick<Catalog, 'indexesOfId' | 'comesBefore'>,
): ItemVectors {
  const stored = new Map(
    Array.from(definitions.values(), (definition) => {
      return [definition.name, { ...definition, matrix: createVectorMatrix(definition.dimensions) }];
    }),
  );
  return {
    write(itemIndex, document) {
      for (const { name, matrix, ...definition } of stored.values())
        matrix.write(itemIndex, readVector(document[name], definition));
    },
    async scan(query) {
      const vectors = stored.get(query.name);
      if (!vectors) return undefined;
      const [like, unlike] = [query.like, query.unlike].map((ids) =>
        ids.flatMap((itemId) => catalog.indexesOfId(itemId)),
      );
      const liked = like.filter(vectors.matrix.has);
      const target = readVector(query.values, vectors) ?? new Float64Array(vectors.dimensions);
      addMean(target, liked, 1, vectors.matrix);
      addMean(target, unlike.filter(vectors.matrix.has), -unlikeWeight, vectors.matrix);
      const length = lengthOf(target);
      if (length === 0) return undefined;
      if (vectors.metric === 'cosine') for (let at = 0; at < target.length; at++) target[at] /= length;
      const named = [...like, ...unlike];
      const isNamed = new Set(named);
      const select = await vectors.matrix.scan(target);
      return (wanted, admits) => {
        const isAdmitted = (itemIndex: number) => !isNamed.has(itemIndex) && admits(itemIndex);
        const found = select({ wanted, admits: isAdmitted, comesBefore: catalog.comesBefore });
        return { ...found, liked, named, weight: query.weight };
      };
    },
    rows: () => Array.from(stored.values(), ({ matrix }) => matrix.rows()),
    sizes: () =>
      Array.from(stored.values(), ({ name, dimensions, metric, matrix }) => {
        return { name, dimensions, metric, itemCount: matrix.count, bytes: matrix.byteLength };
      }),
  };
}

/** Returns a vector of the declared length, of length 1 for the cosine; undefined if it has another. */
function readVector(
  given: unknown,
  { dimensions, metric }: Pick<VectorDefinition, 'dimensions' | 'metric'>,
): Float64Array | undefined {
  if (!Array.isArray(given) || given.length !== dimensions) return undefined;
  const values = Float64Array.from(given);
  const length = lengthOf(values);
  if (!Number.isFinite(length) || (metric === 'cosine' && length === 0)) return undefined;
  return metric === 'cosine' ? values.map((value) => value / length) : values;
}

function addMean(
  target: Float64Array,
  items: readonly number[],
  weight: number,
  { addTo }: VectorMatrix,
): void {
  for (const itemIndex of items) addTo(target, itemIndex, weight / items.length);
}
