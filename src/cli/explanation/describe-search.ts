/** The results of a search as text: a numbered line per item, and under it, when explained, what made its place. */

import type { Facet, SearchList, SearchResults } from '../../../gen/grpc/personalisation/v1/search.ts';
import type {
  CreateSearchResponse,
  FoundItemExplanation,
  SearchAbsence,
  SearchExplanation,
  SteeringConfiguration,
  WordScore,
} from '../../../gen/grpc/personalisation/v1/search_service.ts';

export function describeSearch({ results, explanation }: CreateSearchResponse): string {
  const { lists, auto_suggest, perfect_match, facets, redirect, promoted_content, user_group, version } =
    results as SearchResults;
  return [
    `${user_group}, version ${version}`,
    ...(auto_suggest ? [`Searched for: ${auto_suggest}`] : []),
    ...(perfect_match ? [`Perfect match: ${perfect_match.item_id}  ${perfect_match.title}`] : []),
    ...(redirect ? [`Redirect: ${redirect}`] : []),
    ...promoted_content.map((content) => `Promoted: ${JSON.stringify(content)}`),
    ...(explanation
      ? [...describeQuery(explanation), ...explanation.configurations.map(describeSteering)]
      : []),
    ...(lists.length > 0
      ? lists.flatMap((list, i) => describeList(list, explanation?.lists[i]?.items))
      : ['    nothing found']),
    ...facets.flatMap(describeFacet),
    ...(explanation && explanation.why_not.length > 0
      ? ['', 'Why not:', ...explanation.why_not.map(describeAbsence)]
      : []),
  ].join('\n');
}

function describeQuery({ words, dropped_words, corrections }: SearchExplanation): string[] {
  const lines = words.map(({ word, alternatives }) => {
    const others = alternatives.filter(({ kind }) => kind !== 'word');
    return [word, ...others.map(({ kind, text, weight }) => `${kind} ${text} (${weight})`)].join(', or ');
  });
  return [
    ...(lines.length > 0 ? [`Words: ${lines.join('; ')}`] : []),
    ...corrections.map(({ from, to }) => `Corrected: ${from} to ${to}`),
    ...(dropped_words.length > 0 ? [`Unknown to the catalogue: ${dropped_words.join(', ')}`] : []),
  ];
}

function describeSteering({ configuration_id, version, reasons, unmet }: SteeringConfiguration): string {
  const why = reasons.length > 0 ? ` (${reasons.join(', ')})` : '';
  const short = unmet.map(
    ({ constraint_index, wanted, found }) => `; constraint ${constraint_index} wants ${wanted}, has ${found}`,
  );
  return `Steered by: ${configuration_id}, version ${version}${why}${short.join('')}`;
}

function describeFacet({ key, values }: Facet): string[] {
  return ['', `By ${key}:`, ...values.map(({ value, count }) => `${String(count).padStart(6)}  ${value}`)];
}

function describeList(
  { list_name, list_size, items }: SearchList,
  explained: readonly FoundItemExplanation[] = [],
): string[] {
  return [
    '',
    `${list_name} (${list_size})`,
    ...items.flatMap(({ item_id, title, information_field, group_size = 1 }, i) => {
      const parts = [
        `${String(i + 1).padStart(4)}.`,
        item_id,
        title,
        information_field && `(${information_field})`,
        group_size > 1 && `one of ${group_size}`,
      ];
      const heading = parts.filter((part) => part).join('  ');
      return explained[i] ? [heading, ...describeItem(explained[i])] : [heading];
    }),
  ];
}

function describeItem(item: FoundItemExplanation): string[] {
  const others: [name: string, score: number][] = [
    ['likeness', item.likeness_score],
    ['popularity', item.prior_score],
    ['taste', item.taste_score],
    ['clicks', item.click_score],
  ];
  const parts = others
    .filter(([, score]) => score !== 0)
    .map(([name, score]) => ` ${score < 0 ? '-' : '+'} ${name} ${number(Math.abs(score))}`);
  const sum = `text ${number(item.text_score)}${parts.join('')}`;
  return [
    ...(item.pinned_by === '' ? [] : [`      pinned by ${item.pinned_by}`]),
    `      ${item.tier.replaceAll('_', ' ')}; score ${number(item.score)} = ${sum}`,
    ...(item.preference_weight === 0 ? [] : [`          preferences ${number(item.preference_weight)}`]),
    ...item.words.map(describeWord),
  ];
}

function describeWord({ word, kind, text, score, fields }: WordScore): string {
  const found = kind === 'word' ? word : `${word} as ${kind} ${text}`;
  const shares = fields.map((field) => `${field.field} ${number(field.score)}`);
  return `          ${found} ${number(score)}: ${shares.join(', ')}`;
}

function describeAbsence({ item_id, detail, tier, score }: SearchAbsence): string {
  const place = tier === '' ? '' : ` Tier ${tier.replaceAll('_', ' ')}, score ${number(score)}.`;
  return `    ${item_id}: ${detail}${place}`;
}

function number(score: number): string {
  return String(Number(score.toPrecision(3)));
}
