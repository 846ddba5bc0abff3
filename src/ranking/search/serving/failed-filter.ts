/** Tests one item against the filters of a search. */
import type { Catalog } from '../../catalog/catalog.ts';
import { pickTest, type SearchRequest } from '../search.ts';

/** Returns the field of the first filter that the item does not pass; undefined when it passes all. */
export function failedFilter(
  itemIndex: number,
  catalog: Catalog,
  { filters = [], refinement }: Pick<SearchRequest, 'filters' | 'refinement'>,
): string | undefined {
  const failed = filters.find(
    ({ field, values }) => !catalog.column(field)?.matcher({ oneOf: values })(itemIndex),
  );
  return failed?.field ?? refinement?.filters.find((pick) => !pickTest(catalog, pick)(itemIndex))?.key;
}
