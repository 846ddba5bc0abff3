/** Lists of hits that stand together: one list a value of the grouped fields, each as long as is asked for. */
import type { Catalog } from '../../catalog/catalog.ts';
import { browse } from './browse.ts';
import type { FieldLists, Narrowing } from './field-lists.ts';
import { type Group, groupHits, groupMatcher } from './grouping.ts';
import { type Hit, type HitFinder, type HitRequest, mostHits } from './hits.ts';
import type { RememberedTests } from './remembered-tests.ts';
import type { ResultList } from './search-request.ts';

export type GroupedRequest = {
  fields: readonly string[];
  /** Without words, so that what is popular comes first. */
  isBrowse: boolean;
  listSize: number;
  listCount: number;
  /** Hits over all groups that are enough mostly. */
  usualHits: number;
  /** What is asked for of all groups, so many hits of it at most. */
  request(limit: number): HitRequest;
  find(limit: number): { hits: Hit[]; isComplete: boolean };
};

export type GroupedLists = (asked: GroupedRequest) => ResultList[];

export type GroupedListsOptions = {
  catalog: Catalog;
  finder: HitFinder;
  answers: RememberedTests;
  fieldLists: FieldLists;
};

const spareGroupHits = 30;

/** Hits of each group alone: what is equal in tier and text is told apart, but nothing has to be left for further groups. */
const groupPoolOf = (listSize: number): number => listSize * 2 + spareGroupHits;

export function createGroupedLists({
  catalog,
  finder,
  answers,
  fieldLists,
}: GroupedListsOptions): GroupedLists {
  const narrowingOf = ({ values }: Group): Narrowing =>
    fieldLists.narrowingOf(
      values.map(({ field, value }) => ({ field, values: [value] })),
      true,
    );

  /** The hits of lists that the common limit has cut short. */
  const refilled = (
    { fields, isBrowse, listSize, request }: GroupedRequest,
    groups: readonly Group[],
  ): Hit[][] => {
    const tests = groups.map((group) =>
      answers.get(JSON.stringify([fields, group.values, 'group']), () =>
        groupMatcher(catalog, fields, group),
      ),
    );
    const filled = groups.map((): Hit[] => []);
    const common = request(groupPoolOf(listSize));
    const wide: number[] = [];
    tests.forEach((isInGroup, i) => {
      const admits = (itemIndex: number): boolean => isInGroup(itemIndex) && common.admits(itemIndex);
      const alone = { ...common, admits, narrowing: narrowingOf(groups[i]) };
      if (isBrowse) filled[i] = browse({ catalog, ...alone }).hits;
      else if (finder.isNarrow(alone)) filled[i] = finder.find(alone).hits;
      else wide.push(i);
    });
    const found =
      wide.length === 0
        ? []
        : finder.findEach(
            common,
            wide.map((i) => tests[i]),
          );
    wide.forEach((group, i) => {
      filled[group] = found[i];
    });
    return filled;
  };

  return (asked) => {
    const { fields, listSize, listCount, usualHits, find } = asked;
    let found = find(usualHits);
    let groups = groupHits(catalog, fields, found.hits, listCount);
    if (groups.length < listCount && !found.isComplete) {
      found = find(mostHits);
      groups = groupHits(catalog, fields, found.hits, listCount);
    }
    const short = found.isComplete ? [] : groups.filter(({ hits }) => hits.length < listSize);
    refilled(asked, short).forEach((hits, i) => {
      short[i].hits = hits;
    });
    return groups.map(({ values, name, hits }) => ({ values, name, items: hits.slice(0, listSize) }));
  };
}
