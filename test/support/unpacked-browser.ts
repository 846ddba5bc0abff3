/**
 * The bundled browser, unpacked once for all processes of a machine.
 *
 * Its package unpacks it into the folder for temporary files, where another process could start the
 * incomplete browser. So it is unpacked into a private folder, which is renamed when it is
 * complete.
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
  /** Configures bundled fonts, so that texts have the same widths everywhere. */
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

/** The first process renames its folder; a folder with the final name is complete. */
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

/** The package takes the folder from the environment of a process only. */
async function unpackInto(fresh: string): Promise<void> {
  const script = `await (await import('@sparticuz/chromium')).default.executablePath()`;
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: import.meta.dirname,
    env: { ...process.env, TMPDIR: fresh },
  });
}

/** Replaces the package's own configuration, which names its usual folder. */
function fontsOf(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${join(folder, 'fonts')}</dir>
  <cachedir>${join(folder, 'fonts-cache')}</cachedir>
</fontconfig>
`;
}
