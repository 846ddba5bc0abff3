/** Formats an evaluation as a table for the terminal. */

import type { Evaluation, MeasuresAlone } from './evaluate.ts';
import { accuracyMeasures, type Estimate, listDepth, type Measures } from './metrics.ts';

const headings = [
  ...accuracyMeasures.map((name) => `${name}@${listDepth}`),
  'again',
  'new',
  'coverage',
  'novelty',
  'diversity',
  'behind',
  'adds',
];

export function toTable(evaluation: Evaluation): string {
  const { blend, models, learnt } = evaluation;
  const rows = [
    ['', ...headings],
    ['blend', ...cellsOf(blend), '', ''],
    ...ranked(models).map(([name, measures]) => [
      name,
      ...cellsOf(measures),
      cellOf(measures.behind),
      worthOf(evaluation, name),
    ]),
  ];
  const told = withoutEmptyColumns(rows);
  const widths = told[0].map((_, column) => Math.max(...told.map((row) => row[column].length)));
  const lines = told.map((row) => row.map((cell, column) => align(cell, widths[column], column)).join('  '));
  return [...lines, '', ...notesOf(evaluation, learnt === undefined)].join('\n');
}

function withoutEmptyColumns([headings, ...rows]: string[][]): string[][] {
  const isTold = (_: string, column: number) => column === 0 || rows.some((row) => row[column] !== '');
  return [headings, ...rows].map((row) => row.filter(isTold));
}

/** Sorts models by NDCG, best first. */
export function ranked(models: Evaluation['models']): [string, MeasuresAlone][] {
  return Object.entries(models).sort(([, a], [, b]) => b.ndcg.mean - a.ndcg.mean);
}

function cellsOf({ coverage, novelty, diversity, ...measures }: Measures): string[] {
  return [
    ...accuracyMeasures.map((name) => cellOf(measures[name])),
    ...[measures.recallAgain, measures.recallNew].map((recall) => (recall ? cellOf(recall) : '')),
    `${(coverage * 100).toFixed(1)} %`,
    novelty.mean.toFixed(2),
    diversity.mean.toFixed(3),
  ];
}

function cellOf({ mean, margin }: Estimate): string {
  return `${mean.toFixed(4)} ±${margin.toFixed(4)}`;
}

/** Returns the blend's loss without the model, as measured on the training side. */
function worthOf({ learnt }: Evaluation, name: string): string {
  const without = learnt?.report.models[name]?.without;
  if (learnt === undefined || without === undefined || learnt.report.blend === 0) return '';
  const share = 1 - without / learnt.report.blend;
  return share === 0 ? '–' : `${share > 0 ? '+' : ''}${(share * 100).toFixed(1)} %`;
}

function align(cell: string, width: number, column: number): string {
  return column === 0 ? cell.padEnd(width) : cell.padStart(width);
}

/** Describes failures of the blend and what learning decided about it. */
export function failureOf({ betterAlone, models, learnt }: Evaluation): string[] {
  const failures = betterAlone.map(
    (name) => `FAILED: the blend is worse than ${name} alone, by ${cellOf(negative(models[name].behind))}.`,
  );
  const fallback = learnt?.report.fallback;
  if (fallback === undefined) return failures;
  const share = `${(fallback.share * 100).toFixed(0)} %`;
  return [
    ...failures,
    `Learning moved the weights by ${share} towards ${fallback.model}, which alone was better, or nearly as good, on held-back events.`,
  ];
}

function negative({ mean, margin }: Estimate): Estimate {
  return { mean: -mean, margin };
}

function notesOf(evaluation: Evaluation, isUnlearnt: boolean): string[] {
  const { blend, itemCount, eventCount, fresh, trainSeconds, requestMilliseconds } = evaluation;
  const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
  return [
    ...(blend.questionCount === 0
      ? ['There are no questions: no subject has both a history and new items in the test time.']
      : []),
    `${blend.questionCount} questions about ${itemCount} items, ${eventCount} events; all items ranked; ± is half of a 95 % interval.`,
    'Behind: NDCG below that of the blend on the same questions. Adds: NDCG that the blend gains from the model, measured when it was learnt.',
    ...(blend.recallNew === undefined
      ? []
      : ['Again, new: recall of answers that the subject had met before, and of new ones.']),
    ...(isUnlearnt ? ['Too little data to learn a blend: the default weights were used.'] : []),
    ...failureOf(evaluation),
    `Items first met in the test time: ${percent(fresh.recommended)} of the lists, ${percent(fresh.answers)} of the answers.`,
    `Training with learning the blend took ${trainSeconds.toFixed(1)} s, a list ${requestMilliseconds.toFixed(2)} ms.`,
  ];
}
