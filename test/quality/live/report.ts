/** The figures of a replay as a table. */

import type { SiteLog } from './log.ts';
import { meanOf, miscalibration, ndcgOf, relativeInterval } from './measures.ts';
import { isInterest, type Kind } from './questions.ts';
import type { Answered } from './replay.ts';

export function report(log: SiteLog, answered: readonly Answered[]): string {
  const kinds = [...new Set(answered.flatMap((one) => one.kinds))].sort();
  const ours = [...answered[0].lists.keys()].filter((name) => name.startsWith('service'));
  return [
    ...kinds.map((kind) => kindRows(answered, kind)),
    ...ours.map((name) => listRow(log, answered, name)),
  ].join('\n');
}

function kindRows(answered: readonly Answered[], kind: Kind): string {
  const asked = answered.filter(({ kinds }) => kinds.includes(kind));
  const names = [...asked[0].lists.keys()];
  const scores = new Map(
    names.map((name) => [name, asked.map(({ lists, answer }) => ndcgOf(lists.get(name)!, answer))]),
  );
  const hits = (name: string) => meanOf(scores.get(name)!.map((score) => Number(score > 0)));
  const figures = (name: string) => `${meanOf(scores.get(name)!).toFixed(4)} / ${hits(name).toFixed(3)}`;
  const ours = scores.get('service')!;
  const others = names.filter((name) => !name.startsWith('service'));
  const strengths = names
    .filter((name) => name.startsWith('service '))
    .map((name) => {
      const [low, high] = relativeInterval(scores.get(name)!, ours);
      return `\n    ${name} ${figures(name)}: ${percent(low)} … ${percent(high)} of the service`;
    })
    .join('');
  const best = others.reduce((a, b) => (meanOf(scores.get(b)!) > meanOf(scores.get(a)!) ? b : a));
  const [low, high] = relativeInterval(ours, scores.get(best)!);
  const rest = others
    .filter((name) => name !== best)
    .sort((a, b) => meanOf(scores.get(b)!) - meanOf(scores.get(a)!))
    .map((name) => `${name} ${meanOf(scores.get(name)!).toFixed(4)}`)
    .join(' · ');
  const ahead = `${percent(meanOf(ours) / (meanOf(scores.get(best)!) || 1) - 1)} (${percent(low)} … ${percent(high)})`;
  return `${kind}, ${asked.length} questions: service ${figures('service')}, best ${best} ${figures(best)}: ${ahead}\n    ${rest}${strengths}`;
}

function listRow({ events, items }: SiteLog, answered: readonly Answered[], name: string): string {
  const itemOf = new Map(items.map((item) => [item.itemId, item]));
  const categoryOf = (itemId: string) => itemOf.get(itemId)?.categories[0] ?? '';
  const wanted = categoryCounts(events, categoryOf);
  const shown = new Set<string>();
  const hours: number[] = [];
  const divergences: number[] = [];
  for (const { event, lists } of answered) {
    const list = lists.get(name)!;
    for (const itemId of list) {
      shown.add(itemId);
      const publishedAt = itemOf.get(itemId)?.publishedAt ?? 0;
      if (publishedAt > 0) hours.push((events[event].at - publishedAt) / 3_600);
    }
    divergences.push(miscalibration(wanted(events[event].subject), list.map(categoryOf)));
  }
  const median = hours.sort((a, b) => a - b)[Math.floor(hours.length / 2)] ?? 0;
  return `${name}: coverage ${percent(shown.size / items.length)}, median age ${median.toFixed(0)} h, miscalibration ${meanOf(divergences).toFixed(3)}`;
}

function categoryCounts(events: SiteLog['events'], categoryOf: (itemId: string) => string) {
  const bySubject = new Map<string, Map<string, number>>();
  for (const event of events) {
    if (!isInterest(event)) continue;
    const counts = bySubject.get(event.subject) ?? new Map<string, number>();
    bySubject.set(event.subject, counts);
    const category = categoryOf(event.itemId);
    counts.set(category, (counts.get(category) ?? 0) + 1);
  }
  return (subject: string): ReadonlyMap<string, number> => bySubject.get(subject) ?? new Map();
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
