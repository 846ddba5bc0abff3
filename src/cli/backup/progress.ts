/** How far a backup or a restore is, on standard error: one line that changes on a terminal, a line every few seconds elsewhere. */

export type CopyProgress = {
  report(progress: { table: string; rows: number; bytes?: number }): void;
  conclude(sentence: string): void;
};

const terminalEveryMs = 200;
const elseEveryMs = 5_000;
const megabyte = 1024 * 1024;

export function createCopyProgress(stream: NodeJS.WriteStream = process.stderr): CopyProgress {
  const everyMs = stream.isTTY ? terminalEveryMs : elseEveryMs;
  const startMs = performance.now();
  let nextMs = startMs + everyMs;
  let latest = '';
  return {
    report({ table, rows, bytes }) {
      const size = bytes === undefined ? '' : `, ${(bytes / megabyte).toFixed(1)} MB`;
      latest = `${rows} rows${size}`;
      if (performance.now() < nextMs) return;
      nextMs = performance.now() + everyMs;
      stream.write(stream.isTTY ? `\r\x1b[K${latest}, ${table}` : `${latest}, ${table}\n`);
    },
    conclude(sentence) {
      const seconds = ((performance.now() - startMs) / 1_000).toFixed(1);
      stream.write(`${stream.isTTY ? '\r\x1b[K' : ''}${sentence} ${latest} in ${seconds} s.\n`);
    },
  };
}
