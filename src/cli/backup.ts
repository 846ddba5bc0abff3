/** `personalisation backup FILE` and `restore FILE`: all that the database holds, into one file and back (docs/backups.md). */

import { open, readFile, rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Command, Option } from 'commander';
import type { ForeignDeletion } from '../repository/people/deletions.ts';
import { packed, unpacked } from './backup/packing.ts';
import { createCopyProgress } from './backup/progress.ts';
import { conclude, exitCodes } from './connection/outcome.ts';
import { placeBefore } from './file-place.ts';
import { type LocalDatabaseOptions, withDatabase } from './local-database.ts';

type Options = LocalDatabaseOptions & { receipts?: string };

/** Clients' keys are in it. */
const fileMode = 0o600;

export function registerBackup(program: Command): void {
  describe(program, 'backup')
    .description('write all that the database holds to a file, while the service runs')
    .action((path: string, options: Options) => conclude((signal) => backUp(path, options, signal)));
}

export function registerRestore(program: Command): void {
  describe(program, 'restore')
    .description('fill an empty database from a backup; a service starts on it afterwards')
    .option(
      '--receipts <file>',
      'of `people receipts`: people who were deleted after the backup are deleted again before anybody uses it',
    )
    .action((path: string, options: Options) => conclude((signal) => restore(path, options, signal)));
}

function describe(program: Command, name: string): Command {
  return program
    .command(name)
    .argument('<file>', 'packed when its name ends in .gz; - is the standard output or input')
    .addOption(
      new Option('--database-url <url>', 'the Postgres of the service [its embedded one]').env(
        'DATABASE_URL',
      ),
    )
    .addOption(
      new Option('--data-dir <folder>', 'where the embedded database lives').env('DATA_DIR').default('.data'),
    );
}

async function backUp(path: string, options: Options, signal: AbortSignal): Promise<number> {
  const { writeBackup } = await import('../repository/backup/write-backup.ts');
  await withDatabase(options, 'present', async (db) => {
    const progress = createCopyProgress();
    const bytes = Readable.from(writeBackup(db, progress.report), { objectMode: false });
    if (path === '-') await pipeline(bytes, process.stdout, { signal, end: false });
    else await writeWhole(path, (file) => pipeline([bytes, ...packed(path), file], { signal }));
    progress.conclude(`Backed up to ${path === '-' ? 'standard output' : path}.`);
  });
  return exitCodes.success;
}

/** The file gets its name when all of it is on the disk: what has a name is whole, unless it is a pipe. */
export async function writeWhole(
  path: string,
  write: (file: NodeJS.WritableStream) => Promise<void>,
): Promise<void> {
  const unfinished = await placeBefore(path, '.unfinished');
  const isFile = unfinished !== path;
  const file = await open(unfinished, 'w', fileMode);
  try {
    await write(file.createWriteStream({ flush: isFile }));
    if (isFile) await rename(unfinished, path);
  } catch (error) {
    if (isFile) await rm(unfinished, { force: true });
    throw error;
  } finally {
    await file.close().catch(() => undefined);
  }
}

async function restore(path: string, options: Options, signal: AbortSignal): Promise<number> {
  const { restoreBackup } = await import('../repository/backup/restore-backup.ts');
  const { replayDeletions } = await import('../repository/people/replay-deletions.ts');
  const receipts = await readReceipts(options.receipts);
  const input = path === '-' ? process.stdin : (await open(path)).createReadStream();
  await withDatabase(options, 'new', async (db) => {
    const progress = createCopyProgress();
    signal.addEventListener('abort', () => input.destroy(new Error('Interrupted.')));
    let forgotten = 0;
    const { takenAt } = await restoreBackup(db, unpacked(input), {
      onProgress: progress.report,
      async beforeUse(restored) {
        forgotten = await replayDeletions(restored, receipts);
      },
    });
    const again = forgotten > 0 ? ` Deletions of people carried out again: ${forgotten}.` : '';
    progress.conclude(`Restored the database as it was at ${takenAt}.${again}`);
  });
  return exitCodes.success;
}

async function readReceipts(path: string | undefined): Promise<ForeignDeletion[]> {
  if (path === undefined) return [];
  const { readReceipt } = await import('../repository/people/deletions.ts');
  const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line.trim() !== '');
  return lines.map((line, place) => {
    try {
      return readReceipt(line);
    } catch {
      throw new Error(`Line ${place + 1} of ${path} is no receipt.`);
    }
  });
}
