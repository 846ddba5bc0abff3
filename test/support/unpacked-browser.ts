/**
 * The browser that the tests bring along, unpacked once for all processes of a machine.
 *
 * Its package unpacks it into the folder for temporary files, and takes it for whole as soon as it begins to be there: a
 * process beside it starts half a browser then. So it is unpacked into a folder that nobody else looks at, which gets
 * its name when it is whole.
 */

import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const packageFile = new URL('../../package.json', import.meta.resolve('@sparticuz/chromium'));

export type UnpackedBrowser = {
  executable: string;
  /** Of fonts that are the same everywhere, so that letters are as wide everywhere. */
  fontsFolder: string;
};

export async function unpackedBrowser(): Promise<UnpackedBrowser> {
  const { version } = JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string };
  const folder = join(tmpdir(), `test-browser-${version}`);
  await unpackOnce(folder, async (fresh) => {
    await unpackInto(fresh);
    await writeFile(join(fresh, 'fonts/fonts.conf'), fontsOf(folder));
  });
  return { executable: join(folder, 'chromium'), fontsFolder: join(folder, 'fonts') };
}

/** Whoever is first gives the folder its name; it holds everything, whenever it is there. */
export async function unpackOnce(folder: string, unpack: (fresh: string) => Promise<void>): Promise<void> {
  if (existsSync(folder)) return;
  const fresh = await mkdtemp(join(dirname(folder), 'unpacking-'));
  try {
    await unpack(fresh);
    await rename(fresh, folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

/** The package is told where by the environment of a process alone. */
async function unpackInto(fresh: string): Promise<void> {
  const script = `await (await import('@sparticuz/chromium')).default.executablePath()`;
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: import.meta.dirname,
    env: { ...process.env, TMPDIR: fresh },
  });
}

/** The package's own names the folder that it usually unpacks into. */
function fontsOf(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${join(folder, 'fonts')}</dir>
  <cachedir>${join(folder, 'fonts-cache')}</cachedir>
</fontconfig>
`;
}
