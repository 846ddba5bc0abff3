/**
 * Lines and functions of each file that ran in any of many processes, from V8's coverage.
 *
 * Each process is merged as it arrives: a file has one byte per character, set where it ran.
 * Merging the trees of ranges instead would take memory and time that grow with the number of
 * processes.
 */

import { globSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

type Range = { startOffset: number; endOffset: number; count: number };

/** A file that a process writes into NODE_V8_COVERAGE. */
export type ToldCoverage = {
  result: { url: string; functions: { ranges: Range[] }[] }[];
};

type Source = {
  path: string;
  /** The source without types, with unchanged positions. */
  text: string;
  hasRun: Uint8Array;
  /** Start and end of a function → whether it was called. */
  functions: Map<string, boolean>;
};

export type Share = { covered: number; total: number };
export type CoveredFile = { path: string; lines: Share; functions: Share };

/** @param without Prefixes of paths below the folder to leave out. */
export function createCoverage(folder: string, without: readonly string[]) {
  const paths = globSync('**/*.ts', { cwd: folder }).filter(
    (path) => !without.some((start) => path.startsWith(start)),
  );
  const sources = new Map(
    paths.map((path) => [pathToFileURL(join(folder, path)).href, readSource(folder, path)]),
  );
  return {
    add({ result }: ToldCoverage): void {
      for (const { url, functions } of result) {
        const source = sources.get(url);
        if (source) addTo(source, functions);
      }
    },
    files: (): CoveredFile[] =>
      Array.from(sources.values(), (source) => ({
        path: source.path,
        lines: linesOf(source),
        functions: {
          covered: [...source.functions.values()].filter(Boolean).length,
          total: source.functions.size,
        },
      })),
  };
}

function readSource(folder: string, path: string): Source {
  const text = stripTypeScriptTypes(readFileSync(join(folder, path), 'utf8'));
  return { path, text, hasRun: new Uint8Array(text.length), functions: new Map() };
}

/** Outer ranges come before those within them. */
function addTo(source: Source, functions: ToldCoverage['result'][number]['functions']): void {
  const ran = new Uint8Array(source.text.length);
  for (const [place, { ranges }] of functions.entries()) {
    for (const { startOffset, endOffset, count } of ranges)
      ran.fill(count > 0 ? 1 : 0, startOffset, endOffset);
    const [{ startOffset, endOffset, count }] = ranges;
    const key = `${startOffset}-${endOffset}`;
    /** The first range is the file itself. */
    if (place > 0) source.functions.set(key, count > 0 || source.functions.get(key) === true);
  }
  for (let at = 0; at < ran.length; at++) source.hasRun[at] |= ran[at];
}

/** Lines with code: neither blank without types nor a comment. One that ran in part has run. */
function linesOf({ text, hasRun }: Source): Share {
  const share = { covered: 0, total: 0 };
  let start = 0;
  for (const line of text.split('\n')) {
    const end = start + line.length;
    if (/^\s*[^\s/*]/.test(line)) {
      share.total += 1;
      const first = end - line.trimStart().length;
      if (hasRun.subarray(first, end).includes(1)) share.covered += 1;
    }
    start = end + 1;
  }
  return share;
}
