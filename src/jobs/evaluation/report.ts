/** Formats an evaluation as one self-contained HTML file: tables, and plots as inline SVG. */

import type { Evaluation } from './evaluate.ts';
import { accuracyMeasures, type Estimate, listDepth, type Measures } from './metrics.ts';
import { failureOf, ranked } from './table.ts';

export function toHtml(title: string, evaluation: Evaluation): string {
  const all: [string, Measures][] = [['blend', evaluation.blend], ...ranked(evaluation.models)];
  const { protocol, itemCount, eventCount, blend } = evaluation;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
<h1>${escapeHtml(title)}</h1>
<p>Protocol ${escapeHtml(protocol.protocol)}: ${blend.questionCount} questions about ${itemCount} items, ${eventCount} events.
All items are ranked. Bars and numbers carry 95 % intervals.</p>
${accuracyMeasures
  .map((name) =>
    plot(
      `${name}@${listDepth}`,
      all.map(([model, of]) => [model, of[name]]),
    ),
  )
  .join('\n')}
<h2>Lists as a whole</h2>
${table(['model', 'coverage', 'novelty (bits)', 'diversity'], all.map(wholeListRow))}
${failureOf(evaluation)
  .map((text) => `<p>${escapeHtml(text)}</p>`)
  .join('\n')}
${learntPart(evaluation)}
</html>
`;
}

const style = `
body { font: 15px/1.5 system-ui, sans-serif; max-width: 56rem; margin: 2rem auto; padding: 0 1rem; color: #1c2430; }
table { border-collapse: collapse; margin: 1rem 0; } th, td { padding: .25rem .75rem; text-align: right; border-bottom: 1px solid #d8dee6; }
th:first-child, td:first-child { text-align: left; } svg { display: block; margin: .5rem 0 1.5rem; } text { font: 13px system-ui, sans-serif; fill: #1c2430; }
.bar { fill: #9db7d5; } .blend { fill: #2f6db3; } .margin { stroke: #1c2430; }`;

const plotWidth = { names: 150, bars: 480, numbers: 140 };
const rowHeight = 24;

/** Draws horizontal bars with whiskers. */
function plot(title: string, estimates: [string, Estimate][]): string {
  const most = Math.max(1e-9, ...estimates.map(([, { mean, margin }]) => mean + margin));
  const scale = (value: number) => plotWidth.names + (Math.max(0, value) / most) * plotWidth.bars;
  const rows = estimates.map(([name, { mean, margin }], place) => {
    const middle = place * rowHeight + rowHeight / 2;
    const text = `${mean.toFixed(4)} ± ${margin.toFixed(4)}`;
    return `<text x="0" y="${middle + 5}">${escapeHtml(name)}</text>
<rect class="${name === 'blend' ? 'blend' : 'bar'}" x="${plotWidth.names}" y="${middle - 8}" width="${(scale(mean) - plotWidth.names).toFixed(1)}" height="16"/>
<line class="margin" x1="${scale(mean - margin).toFixed(1)}" x2="${scale(mean + margin).toFixed(1)}" y1="${middle}" y2="${middle}"/>
<text x="${plotWidth.names + plotWidth.bars + 10}" y="${middle + 5}">${text}</text>`;
  });
  const width = plotWidth.names + plotWidth.bars + plotWidth.numbers;
  const height = estimates.length * rowHeight;
  return `<h2>${escapeHtml(title)}</h2>
<svg viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeHtml(title)} by model">
${rows.join('\n')}
</svg>`;
}

function wholeListRow([name, { coverage, novelty, diversity }]: [string, Measures]): string[] {
  const estimateOf = ({ mean, margin }: Estimate) => `${mean.toFixed(3)} ± ${margin.toFixed(3)}`;
  return [name, `${(coverage * 100).toFixed(1)} %`, estimateOf(novelty), estimateOf(diversity)];
}

function learntPart({ learnt }: Evaluation): string {
  if (learnt === undefined) return '<p>Too little data to learn a blend: the default weights were used.</p>';
  const { report, weights, profiles } = learnt;
  const rows = Object.entries(report.models).map(([name, { alone, without }]) => [
    name,
    weights[name].toPrecision(3),
    alone.toFixed(4),
    (report.blend - without).toFixed(4),
    profiles[name] === undefined ? '–' : `${profiles[name].stepDecay} a step`,
  ]);
  return `<h2>What each model adds</h2>
<p>As learnt from ${report.questionCount} questions on the training side, where the blend has NDCG@${listDepth} ${report.blend.toFixed(4)}.</p>
${table(['model', 'weight', 'alone', 'the blend loses without it', 'interest fades to'], rows)}`;
}

function table(headings: string[], rows: string[][]): string {
  const line = (cells: string[], tag: string) =>
    `<tr>${cells.map((cell) => `<${tag}>${escapeHtml(cell)}</${tag}>`).join('')}</tr>`;
  return `<table>\n${line(headings, 'th')}\n${rows.map((row) => line(row, 'td')).join('\n')}\n</table>`;
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
