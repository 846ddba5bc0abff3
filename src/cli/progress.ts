/** Progress on standard error: a bar on a terminal, a line from time to time elsewhere. */

import { SingleBar } from 'cli-progress';

export type Progress = {
  /** @param text Describes the state, such as `1200 records, 3 refused`. */
  update(value: number, text: string): void;
  stop(): void;
};

export type ProgressOptions = {
  /** Value at the end; undefined when it is unknown. */
  total: number | undefined;
  /** Shortest time between two lines where there is no terminal [5,000]. */
  lineEveryMs?: number;
};

export function createProgress({ total, lineEveryMs = 5_000 }: ProgressOptions): Progress {
  return process.stderr.isTTY ? createBar(total) : createLines(total, lineEveryMs);
}

function createBar(total: number | undefined): Progress {
  const bar = new SingleBar({
    stream: process.stderr,
    format: `${total === undefined ? '' : '{bar} {percentage}% | '}{text} | {duration_formatted}`,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    hideCursor: true,
  });
  bar.start(total ?? 1, 0, { text: '' });
  return { update: (value, text) => bar.update(value, { text }), stop: () => bar.stop() };
}

function createLines(total: number | undefined, lineEveryMs: number): Progress {
  let nextMs = performance.now() + lineEveryMs;
  let [latest, written] = ['', ''];
  const write = () => {
    written = latest;
    process.stderr.write(`${latest}\n`);
  };
  return {
    update(value, text) {
      latest = `${total ? `${Math.floor((100 * value) / total)} %, ` : ''}${text}`;
      if (performance.now() < nextMs || latest === written) return;
      nextMs = performance.now() + lineEveryMs;
      write();
    },
    /** The last state completes lines that were begun. */
    stop() {
      if (written !== '' && latest !== written) write();
    },
  };
}
