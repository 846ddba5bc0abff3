/** `personalisation backup FILE` and `restore FILE`: the whole database, into one file and back (docs/backups.md). */

import { open, readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import type { ForeignDeletion } from '../repository/people/deletions.ts';
import { concludeInterruptible } from './connection/outcome.ts';
import { unpackIfPacked, writeFileWhole } from './files.ts';
import {
  databaseUrlOption,
  dataDirOption,
  type LocalDatabaseOptions,
  withDatabase,
} from './local-database.ts';
import { printNote } from './output.ts';
import { createProgress } from './progress.ts';

type Options = LocalDatabaseOptions & { receipts?: string };

/** A backup contains keys of clients. */
const fileMode = 0o600;
const megabyte = 1024 * 1024;

export function registerBackup(program: Command): void {
  withLocalFile(program, 'backup')
    .description('write the whole database to a file, while the service runs')
    .action((path: string, options: Options) =>
      concludeInterruptible((signal) => backUp(path, options, signal)),
    );
}

export function registerRestore(program: Command): void {
  withLocalFile(program, 'restore')
    .description('fill an empty database from a backup; start a service on it afterwards')
    .option(
      '--receipts <file>',
      'output of `people receipts`: subjects deleted after the backup are deleted again before the database is used',
    )
    .action((path: string, options: Options) =>
      concludeInterruptible((signal) => restore(path, options, signal)),
    );
}

function withLocalFile(program: Command, name: string): Command {
  return program
    .command(name)
    .argument('<file>', 'packed when its name ends in .gz; - is the standard output or input')
    .addOption(databaseUrlOption('the Postgres of the service [its embedded one]'))
    .addOption(dataDirOption());
}

async function backUp(path: string, options: Options, signal: AbortSignal): Promise<void> {
  const { writeBackup } = await import('../repository/backup/write-backup.ts');
  await withDatabase(options, 'present', async (db) => {
    const progress = createCopyProgress();
    const chunks = writeBackup(db, progress.report);
    if (path === '-')
      await pipeline(Readable.from(chunks, { objectMode: false }), process.stdout, { signal, end: false });
    else await writeFileWhole(path, chunks, { signal, mode: fileMode });
    progress.conclude(`Backed up to ${path === '-' ? 'standard output' : path}.`);
  });
}

async function restore(path: string, options: Options, signal: AbortSignal): Promise<void> {
  const { restoreBackup } = await import('../repository/backup/restore-backup.ts');
  const { replayDeletions } = await import('../repository/people/replay-deletions.ts');
  const receipts = await readReceipts(options.receipts);
  const input = path === '-' ? process.stdin : (await open(path)).createReadStream();
  await withDatabase(options, 'new', async (db) => {
    const progress = createCopyProgress();
    signal.addEventListener('abort', () => input.destroy(new Error('Interrupted.')));
    let deletionCount = 0;
    const { takenAt } = await restoreBackup(db, unpackIfPacked(input), {
      onProgress: progress.report,
      async beforeUse(restored) {
        deletionCount = await replayDeletions(restored, receipts);
      },
    });
    const again = deletionCount > 0 ? ` Deletions of people carried out again: ${deletionCount}.` : '';
    progress.conclude(`Restored the database as it was at ${takenAt}.${again}`);
  });
}

async function readReceipts(path: string | undefined): Promise<ForeignDeletion[]> {
  if (path === undefined) return [];
  const { readReceipt } = await import('../repository/people/deletions.ts');
  const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line.trim() !== '');
  return lines.map((line, index) => {
    try {
      return readReceipt(line);
    } catch {
      throw new Error(`Line ${index + 1} of ${path} is not a receipt of a deletion.`);
    }
  });
}

function createCopyProgress() {
  const startMs = performance.now();
  const progress = createProgress({ total: undefined });
  let copied = '';
  return {
    report({ table, rows, bytes }: { table: string; rows: number; bytes?: number }): void {
      copied = `${rows} rows${bytes === undefined ? '' : `, ${(bytes / megabyte).toFixed(1)} MB`}`;
      progress.update(0, `${copied}, ${table}`);
    },
    conclude(sentence: string): void {
      progress.stop();
      printNote(`${sentence} ${copied} in ${((performance.now() - startMs) / 1_000).toFixed(1)} s.`);
    },
  };
}
