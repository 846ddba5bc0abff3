/**
 * `npm run benchmark:rivals -- serenade|gorse|tantivy|implicit --rival PATH-OR-URL [--data FOLDER] [--seconds N] [--json]`:
 * the same data and load for the service and for another product that you installed. Linux only, for the CPU of processes.
 *
 * - `serenade`: lists for the clicks of a session. PATH is its `serving` program.
 * - `gorse`: lists for known users. URL is its server, `http://127.0.0.1:8088`, which should be empty; `--pid N` its process;
 *   `--rest N` the seconds for its trainings.
 * - `tantivy`: search in process, plain and misspelt. PATH is a Python with the package `tantivy`.
 * - `implicit`: training. PATH is a Python with the package `implicit`.
 *
 * `--data` names a folder with `serenade-sessions` or `icecat` [generated data]. `--rival none` measures the service alone.
 */

import { parseArgs } from 'node:util';
import { alignTable } from './report.ts';
import { compareGorse } from './rivals/gorse.ts';
import { compareImplicit } from './rivals/implicit.ts';
import { compareSerenade } from './rivals/serenade.ts';
import type { Compare, Figures } from './rivals/side.ts';
import { compareTantivy } from './rivals/tantivy.ts';
import { countOf, shopOptions, shopSizeOf } from './sizes.ts';

const comparisons: Record<string, Compare> = {
  serenade: compareSerenade,
  gorse: compareGorse,
  tantivy: compareTantivy,
  implicit: compareImplicit,
};

const { values, positionals } = parseArgs({
  options: {
    rival: { type: 'string' },
    pid: { type: 'string' },
    data: { type: 'string' },
    seconds: { type: 'string', default: '10' },
    rest: { type: 'string', default: '300' },
    json: { type: 'boolean', default: false },
    ...shopOptions,
  },
  allowPositionals: true,
});

const [name = ''] = positionals;
const compare = comparisons[name];
if (compare === undefined || values.rival === undefined)
  throw new Error(`Usage: benchmark:rivals ${Object.keys(comparisons).join('|')} --rival PATH-OR-URL`);

const sides = await compare({
  rival: values.rival === 'none' ? undefined : values.rival,
  rivalPid: values.pid === undefined ? undefined : Number(values.pid),
  folder: values.data,
  durationMs: countOf(values.seconds) * 1_000,
  restMs: Number(values.rest) * 1_000,
  size: shopSizeOf(values),
});
console.log(values.json ? JSON.stringify(sides) : toTable(sides));

/** A line for each figure, a column for each side. */
function toTable(measured: Record<string, Figures>): string {
  const columns = Object.keys(measured);
  const rows = [...new Set(Object.values(measured).flatMap((figures) => Object.keys(figures)))];
  const cell = (column: string, row: string) => measured[column][row]?.toLocaleString('en') ?? '–';
  return alignTable(
    ['', ...columns],
    rows.map((row) => [row, ...columns.map((column) => cell(column, row))]),
  );
}
