/** The results of a search as text: a line for each item and, when explained, the parts of its score. */

import { toJson } from '@bufbuild/protobuf';
import { ValueSchema } from '@bufbuild/protobuf/wkt';
import type { Facet, SearchList, SearchResults } from '../../../gen/es/personalisation/v1/search_pb.js';
import type {
  CreateSearchResponse,
  FoundItemExplanation,
  SearchAbsence,
  SearchExplanation,
  SteeringConfiguration,
  WordScore,
} from '../../../gen/es/personalisation/v1/search_service_pb.js';

export function describeSearch({ results, explanation }: CreateSearchResponse): string {
  const { lists, autoSuggest, perfectMatch, facets, redirect, promotedContent, userGroup, version } =
    results as SearchResults;
  return [
    `${userGroup}, version ${version}`,
    ...(autoSuggest ? [`Searched for: ${autoSuggest}`] : []),
    ...(perfectMatch ? [`Perfect match: ${perfectMatch.itemId}  ${perfectMatch.title}`] : []),
    ...(redirect ? [`Redirect: ${redirect}`] : []),
    ...promotedContent.map((content) => `Promoted: ${JSON.stringify(content)}`),
    ...(explanation
      ? [...describeQuery(explanation), ...explanation.configurations.map(describeSteering)]
      : []),
    ...(lists.length > 0
      ? lists.flatMap((list, i) => describeList(list, explanation?.lists[i]?.items))
      : ['    nothing found']),
    ...facets.flatMap(describeFacet),
    ...(explanation && explanation.whyNot.length > 0
      ? ['', 'Why not:', ...explanation.whyNot.map(describeAbsence)]
      : []),
  ].join('\n');
}

function describeQuery({ words, droppedWords, corrections }: SearchExplanation): string[] {
  const lines = words.map(({ word, alternatives }) => {
    const others = alternatives.filter(({ kind }) => kind !== 'word');
    return [word, ...others.map(({ kind, text, weight }) => `${kind} ${text} (${weight})`)].join(', or ');
  });
  return [
    ...(lines.length > 0 ? [`Words: ${lines.join('; ')}`] : []),
    ...corrections.map(({ from, to }) => `Corrected: ${from} to ${to}`),
    ...(droppedWords.length > 0 ? [`Unknown to the catalogue: ${droppedWords.join(', ')}`] : []),
  ];
}

function describeSteering({ configurationId, version, reasons, unmet }: SteeringConfiguration): string {
  const why = reasons.length > 0 ? ` (${reasons.join(', ')})` : '';
  const short = unmet.map(
    ({ constraintIndex, wanted, found }) => `; constraint ${constraintIndex} wants ${wanted}, has ${found}`,
  );
  return `Steered by: ${configurationId}, version ${version}${why}${short.join('')}`;
}

function describeFacet({ key, values }: Facet): string[] {
  const lines = values.map(
    ({ value, count }) => `${String(count).padStart(6)}  ${value && toJson(ValueSchema, value)}`,
  );
  return ['', `By ${key}:`, ...lines];
}

function describeList(
  { listName, listSize, items }: SearchList,
  explained: readonly FoundItemExplanation[] = [],
): string[] {
  return [
    '',
    `${listName} (${listSize})`,
    ...items.flatMap(({ itemId, title, informationField, groupSize = 1 }, i) => {
      const parts = [
        `${String(i + 1).padStart(4)}.`,
        itemId,
        title,
        informationField && `(${informationField})`,
        groupSize > 1 && `one of ${groupSize}`,
      ];
      const heading = parts.filter((part) => part).join('  ');
      return explained[i] ? [heading, ...describeItem(explained[i])] : [heading];
    }),
  ];
}

function describeItem(item: FoundItemExplanation): string[] {
  const others: [name: string, score: number][] = [
    ['likeness', item.likenessScore],
    ['popularity', item.priorScore],
    ['taste', item.tasteScore],
    ['clicks', item.clickScore],
  ];
  const parts = others
    .filter(([, score]) => score !== 0)
    .map(([name, score]) => ` ${score < 0 ? '-' : '+'} ${name} ${number(Math.abs(score))}`);
  const sum = `text ${number(item.textScore)}${parts.join('')}`;
  return [
    ...(item.pinnedBy === '' ? [] : [`      pinned by ${item.pinnedBy}`]),
    `      ${item.tier.replaceAll('_', ' ')}; score ${number(item.score)} = ${sum}`,
    ...(item.preferenceWeight === 0 ? [] : [`          preferences ${number(item.preferenceWeight)}`]),
    ...item.words.map(describeWord),
  ];
}

function describeWord({ word, kind, text, score, fields }: WordScore): string {
  const found = kind === 'word' ? word : `${word} as ${kind} ${text}`;
  const shares = fields.map((field) => `${field.field} ${number(field.score)}`);
  return `          ${found} ${number(score)}: ${shares.join(', ')}`;
}

function describeAbsence({ itemId, detail, tier, score }: SearchAbsence): string {
  const place = tier === '' ? '' : ` Tier ${tier.replaceAll('_', ' ')}, score ${number(score)}.`;
  return `    ${itemId}: ${detail}${place}`;
}

function number(score: number): string {
  return String(Number(score.toPrecision(3)));
}
