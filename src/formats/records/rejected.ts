/** Refused lines: a file in the form in which they were sent, and their reasons in groups. */

import type { RefusedLine } from './batches.ts';
import { csvCell } from './csv.ts';
import { rejectedField } from './mapping/row.ts';
import type { Fault } from './outgoing.ts';
import type { Rows } from './reading/rows.ts';

type Heading = Rows['heading'];

/** First line of the file: the column of reasons before those of a delimited file. */
export function rejectedHeading(heading: Heading): string | undefined {
  return heading && `${rejectedField}${heading.delimiter}${heading.text}`;
}

/** Returns a line for each refused line: delimited, or a JSON object, with the reasons first. */
export function rejectedLines(refused: readonly RefusedLine[], heading: Heading): string[] {
  const reasons = new Map<number, { text: string; faults: Fault[] }>();
  for (const { line, text, faults } of refused)
    reasons.set(line, { text, faults: [...(reasons.get(line)?.faults ?? []), ...faults] });
  return Array.from(reasons.values(), ({ text, faults }) => {
    const reason = [...new Set(faults.map(sentenceOf))].join(' ');
    return heading ? quoted(reason) + heading.delimiter + text : withReason(text, reason);
  });
}

const sentenceOf = ({ pointer, detail }: Fault): string =>
  pointer === '' ? detail : `${pointer.slice(1)}: ${detail}`;

function quoted(text: string): string {
  const cell = csvCell(text);
  return cell.startsWith('"') ? cell : `"${cell}"`;
}

function withReason(text: string, reason: string): string {
  const object = text.trim();
  const isObject = object.startsWith('{') && object.endsWith('}');
  if (!isObject) return JSON.stringify({ [rejectedField]: reason, text });
  const separator = object.slice(1).trimStart() === '}' ? '' : ',';
  return `{${JSON.stringify(rejectedField)}:${JSON.stringify(reason)}${separator}${object.slice(1)}`;
}

/** Reasons that differ only in the value count as one; `example` is the first value, if any. */
export type Reason = {
  pointer: string;
  detail: string;
  count: number;
  firstLine: number;
  example?: string;
};

const value = /"(?:[^"\\]|\\.)*"/g;

const mostReasons = 1_000;

/** Adds refused lines to their reasons, the most frequent first. */
export function addReasons(
  known: readonly Reason[],
  refused: readonly Pick<RefusedLine, 'line' | 'faults'>[],
): Reason[] {
  const keyOf = (pointer: string, detail: string) => `${pointer} ${detail}`;
  const reasons = new Map(known.map((reason) => [keyOf(reason.pointer, reason.detail), { ...reason }]));
  for (const { line, faults } of refused)
    for (const fault of faults) {
      const detail = fault.detail.replace(value, '"…"');
      const example = fault.detail.match(value)?.[0].slice(1, -1);
      const key = keyOf(fault.pointer, detail);
      const reason = reasons.get(key) ?? {
        pointer: fault.pointer,
        detail,
        count: 0,
        firstLine: line,
        example,
      };
      reason.count += 1;
      if (reason.count > 1 || reasons.size < mostReasons) reasons.set(key, reason);
    }
  return [...reasons.values()].sort((a, b) => b.count - a.count);
}
