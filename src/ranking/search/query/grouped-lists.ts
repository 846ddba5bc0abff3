/** Lists of hits that stand together: one list a value of the grouped fields, each as long as is asked for. */
import type { Catalog } from '../../catalog/catalog.ts';
import { browse } from './browse.ts';
import { type Among, both } from './conditions.ts';
import type { DistinctHits, NextOf } from './distinct-hits.ts';
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
  nextInGroup?: NextOf;
};

export type GroupedLists = (asked: GroupedRequest) => ResultList[];

export type GroupedListsOptions = {
  catalog: Catalog;
  finder: HitFinder;
  answers: RememberedTests;
  fieldLists: FieldLists;
  distinct: DistinctHits;
};

const spareGroupHits = 30;

/** Hits of each group alone: what is equal in tier and text is told apart, but nothing has to be left for further groups. */
const keyOf = (fields: readonly string[], { values }: Group): string =>
  JSON.stringify([fields, values, 'group']);

const groupPoolOf = (listSize: number): number => listSize * 2 + spareGroupHits;

export function createGroupedLists({
  catalog,
  finder,
  answers,
  fieldLists,
  distinct,
}: GroupedListsOptions): GroupedLists {
  const narrowingOf = ({ values }: Group): Narrowing =>
    fieldLists.narrowingOf(
      values.map(({ field, value }) => ({ field, values: [value] })),
      true,
    );

  const amongOf = (fields: readonly string[], group: Group): Among => {
    const key = keyOf(fields, group);
    const admits = answers.get(key, () => groupMatcher(catalog, fields, group));
    return { admits, known: { key, version: catalog.changes.position } };
  };

  /** The hits of lists that the common limit has cut short. */
  const refilled = (
    { fields, isBrowse, listSize, request }: GroupedRequest,
    groups: readonly Group[],
  ): Hit[][] => {
    const members = groups.map((group) => amongOf(fields, group));
    const filled = groups.map((): Hit[] => []);
    const common = request(groupPoolOf(listSize));
    const wide: number[] = [];
    for (const [i, ofGroup] of members.entries()) {
      const alone = { ...common, among: both(ofGroup, common.among), narrowing: narrowingOf(groups[i]) };
      if (isBrowse) filled[i] = browse({ catalog, ...alone }).hits;
      else if (finder.isNarrow(alone)) filled[i] = finder.find(alone).hits;
      else wide.push(i);
    }
    const wideOnes = wide.map((i) => members[i]);
    const found = wide.length === 0 ? [] : finder.findEach(common, wideOnes);
    for (const [i, group] of wide.entries()) filled[group] = found[i];
    return filled;
  };

  /** The same where items have groups, of which each list shows one item. */
  const refilledDistinct = (
    { fields, isBrowse, listSize, request, nextInGroup }: GroupedRequest,
    groups: readonly Group[],
  ): Hit[][] => {
    const limit = groupPoolOf(listSize);
    const common = request(limit);
    const find = isBrowse ? (alone: HitRequest) => browse({ catalog, ...alone }) : finder.find;
    return groups.map((group) => {
      const alone = { ...common, narrowing: narrowingOf(group) };
      const among = both(amongOf(fields, group), common.among);
      const found = (most: number, isNew: Among) => find({ ...alone, limit: most, among: isNew });
      return distinct.find({ limit, wanted: listSize, among, nextInGroup, find: found }).hits;
    });
  };

  return (asked) => {
    const { fields, listSize, listCount, usualHits, find, nextInGroup } = asked;
    const firstOf = (hits: readonly Hit[]) => distinct.firstOf(hits, nextInGroup);
    const refill = catalog.groups.count === 0 ? refilled : refilledDistinct;
    let found = find(usualHits);
    let groups = groupHits(catalog, fields, found.hits, listCount);
    if (groups.length < listCount && !found.isComplete) {
      found = find(mostHits);
      groups = groupHits(catalog, fields, found.hits, listCount);
    }
    const short = found.isComplete ? [] : groups.filter(({ hits }) => firstOf(hits).length < listSize);
    refill(asked, short).forEach((hits, i) => {
      short[i].hits = hits;
    });
    return groups.map(({ values, name, hits }) => ({
      values,
      name,
      items: firstOf(hits).slice(0, listSize),
    }));
  };
}
