/**
 * Finds the best candidate in heats of growing size: those significantly behind drop out, and at
 * least half (racing: Maron, Moore, NIPS 1993; successive halving: Jamieson, Talwalkar, AISTATS
 * 2016). Questions are thus spent on close candidates.
 */

import { mixed } from '../arrays/mixed.ts';
import { meanOf, standardError } from '../arrays/statistics.ts';
import type { Question } from './questions.ts';

/** Approximate questions per heat. */
const heatSizes = [250, 500, 1000];

/** Standard errors behind the leader that are significant. */
const toleratedErrors = 2;

type Asked = { questions: readonly Question[] };

/** Folds or other parts, with the questions of one heat. */
export type Heat<Part extends Asked> = readonly Part[];

/** @param seed Selects the questions of each heat. */
export function splitHeats<Part extends Asked>(parts: readonly Part[], seed = 0): Heat<Part>[] {
  const total = parts.reduce((sum, { questions }) => sum + questions.length, 0);
  const ends = heatSizes.map((_, heat) => heatSizes.slice(0, heat + 1).reduce((sum, size) => sum + size, 0));
  const heatOf = ({ subject, event }: Question) => {
    const place = (mixed(Math.imul(subject + 1, 0x9e3779b1) ^ mixed(event + 31 * seed)) / 2 ** 32) * total;
    return total <= heatSizes[0] ? 0 : ends.findIndex((end) => place < end);
  };
  return heatSizes
    .map((_, heat) =>
      parts
        .map((part) => ({ ...part, questions: part.questions.filter((one) => heatOf(one) === heat) }))
        .filter(({ questions }) => questions.length > 0),
    )
    .filter((heat) => heat.length > 0);
}

type Runner<Candidate> = { candidate: Candidate; scores: number[] };

/**
 * @param run Returns a candidate's score on each question of a heat, in order.
 * @returns the first of equals
 */
export function race<Candidate, Part extends Asked>(
  candidates: readonly Candidate[],
  heats: readonly Heat<Part>[],
  run: (candidate: Candidate, heat: Heat<Part>) => Iterable<number>,
): Candidate {
  const subjects: number[] = [];
  let runners = candidates.map((candidate): Runner<Candidate> => ({ candidate, scores: [] }));
  for (const heat of heats) {
    if (runners.length === 1) break;
    for (const { candidate, scores } of runners) scores.push(...run(candidate, heat));
    subjects.push(...heat.flatMap(({ questions }) => questions.map(({ subject }) => subject)));
    runners.sort((a, b) => meanOf(b.scores) - meanOf(a.scores));
    const [leader, ...others] = runners;
    const near = others.filter((runner) => isNear(runner, leader, subjects));
    runners = [leader, ...near].slice(0, Math.ceil(candidates.length / 2 ** (heats.indexOf(heat) + 1)));
  }
  return runners[0].candidate;
}

/** Drops candidates that never differ from the leader. */
function isNear<Candidate>(
  { scores }: Runner<Candidate>,
  leader: Runner<Candidate>,
  subjects: readonly number[],
) {
  const losses = scores.map((score, place) => leader.scores[place] - score);
  const error = standardError(losses, subjects);
  return error > 0 && meanOf(losses) <= toleratedErrors * error;
}
