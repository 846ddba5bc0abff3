/** Shows people how far an import or export is: a bar on a terminal, a line every few seconds elsewhere. */

import { SingleBar } from 'cli-progress';

export type ProgressReport = { readBytes: number; records: number; refused: number };

export type Progress = {
  report(progress: ProgressReport): void;
  stop(): void;
};

export type ProgressOptions = {
  stream: NodeJS.WriteStream;
  /** Undefined when nobody knows, as for standard input. */
  totalBytes: number | undefined;
  /** Milliseconds on a clock that never goes back. */
  elapsedMs: () => number;
};

const lineEveryMs = 5_000;

export function createProgress(options: ProgressOptions): Progress {
  const { stream, totalBytes } = options;
  return stream.isTTY && totalBytes ? createBar(stream, totalBytes) : createLines(options);
}

function createBar(stream: NodeJS.WriteStream, totalBytes: number): Progress {
  const bar = new SingleBar({
    stream,
    format: '{bar} {percentage}% | {records} records, {refused} refused | {duration_formatted}',
    barCompleteChar: '█',
    barIncompleteChar: '░',
    hideCursor: true,
  });
  bar.start(totalBytes, 0, { records: 0, refused: 0 });
  return {
    report: ({ readBytes, records, refused }) => bar.update(readBytes, { records, refused }),
    stop: () => bar.stop(),
  };
}

function createLines({ stream, totalBytes, elapsedMs }: ProgressOptions): Progress {
  let nextMs = elapsedMs() + lineEveryMs;
  return {
    report({ readBytes, records, refused }) {
      if (elapsedMs() < nextMs) return;
      nextMs = elapsedMs() + lineEveryMs;
      const share = totalBytes ? `${Math.floor((100 * readBytes) / totalBytes)} %, ` : '';
      stream.write(`${share}${records} records, ${refused} refused\n`);
    },
    stop() {},
  };
}
