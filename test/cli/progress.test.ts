import test from 'ava';
import { createProgress } from '../../src/cli/progress.ts';

/** Returns what is written to standard error, which is no terminal here. */
function written(work: () => void): string {
  const { isTTY, write } = process.stderr;
  let text = '';
  process.stderr.isTTY = false;
  process.stderr.write = (part: string | Uint8Array) => {
    text += part;
    return true;
  };
  try {
    work();
  } finally {
    Object.assign(process.stderr, { isTTY, write });
  }
  return text;
}

test.serial('lines of progress end with the last state', (t) => {
  const text = written(() => {
    const progress = createProgress({ total: 200, lineEveryMs: 0 });
    progress.update(50, '1 record');
    progress.update(50, '1 record');
    progress.update(200, '9 records');
    progress.stop();
  });
  t.is(text, '25 %, 1 record\n100 %, 9 records\n');
});

test.serial('work that ends before the first line writes none', (t) => {
  const text = written(() => {
    const progress = createProgress({ total: 200, lineEveryMs: 60_000 });
    progress.update(200, '9 records');
    progress.stop();
  });
  t.is(text, '');
});
