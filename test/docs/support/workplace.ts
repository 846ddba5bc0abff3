/**
 * The environment of a reader's commands: a folder with the files named in the documents, a service
 * at the documented address, and the commands `npm run personalisation` and `personalisation`,
 * without the second that npm takes to start.
 */

import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { program } from '../../support/program.ts';
import type { TestService } from '../../support/service.ts';
import { root } from './documents.ts';
import { files } from './files.ts';

const run = promisify(execFile);

export type Workplace = {
  folder: string;
  /** The text with this service's addresses, and values for names such as AUDIENCE_ID. */
  localise(text: string): string;
  /** @returns The output of the commands. */
  type(commands: string): Promise<string>;
  /** Deployment files of `npm start` commands. */
  startedWith(): Promise<string[]>;
};

type Settings = {
  service: TestService;
  /** Replacements by placeholder. */
  values: Record<string, string>;
  teardown(tidy: () => Promise<void>): void;
};

/** An error answer fails; a doctor command with findings does not. `npm start` is recorded. */
const shims: Record<string, string> = {
  curl: `exec "$CURL" --fail-with-body "$@"`,
  personalisation: `NODE_OPTIONS= node "$PROGRAM" "$@" || code=$?
    [ "$1 \${code:=0}" = "doctor 2" ] || exit $code`,
  npm: `case "$1 $2" in
    "run personalisation") shift 3; exec personalisation "$@" ;;
    "run node") shift 3; exec node "$@" ;;
    "start --") echo "$4" >> "$STARTED" ;;
    "install " | "run build:clients") ;;
    *) echo "npm $*: nothing runs this here" >&2; exit 1 ;;
  esac`,
};

/** Examples of all documents start together; more processes at once would only wait for each other. */
const mostAtOnce = 4;

function createTurns(most: number) {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async <Value>(work: () => Promise<Value>): Promise<Value> => {
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}

export async function openWorkplace({ service, values, teardown }: Settings): Promise<Workplace> {
  const folder = await mkdtemp(join(tmpdir(), 'documents-'));
  teardown(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'bin'));
  for (const [name, script] of Object.entries(shims)) {
    await writeFile(join(folder, 'bin', name), `#!/bin/sh\n${script}\n`);
    await chmod(join(folder, 'bin', name), 0o755);
  }
  for (const name of ['docs', 'clients', 'node_modules']) await symlink(join(root, name), join(folder, name));
  await symlink(service.dataDir, join(folder, '.data'));
  await mkdir(join(folder, 'rules'));
  for (const [name, content] of Object.entries(files))
    await writeFile(join(folder, name), name.endsWith('.gz') ? gzipSync(content) : content);
  const started = join(folder, 'started');
  await writeFile(started, '');
  const { port } = new URL(service.baseUrl);
  const places = {
    'localhost:8080': `localhost:${port}`,
    'localhost:50051': service.grpcAddress,
    'localhost:9464': `localhost:${service.adminPort}`,
    ...values,
  };
  const localise = (text: string) =>
    Object.entries(places).reduce((filled, [place, value]) => filled.replaceAll(place, value), text);
  const sources = new URL('sources.ts', import.meta.url).href;
  const env = {
    ...process.env,
    PATH: [join(folder, 'bin'), join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter),
    PROGRAM: program,
    STARTED: started,
    CURL: (await run('which', ['curl'])).stdout.trim(),
    PORT: port,
    DATA_DIR: '.data',
    TOKEN: service.authorization.replace('Bearer ', ''),
    NODE_OPTIONS: `--import=${sources}`,
    NODE_NO_WARNINGS: '1',
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(folder, 'cache'),
  };
  const inTurn = createTurns(mostAtOnce);
  const type = (commands: string) =>
    inTurn(async () => {
      const script = `set -euo pipefail\n${localise(commands)}`;
      const { stdout } = await run('bash', ['-c', script], { cwd: folder, env, maxBuffer: 1 << 26 });
      return stdout;
    });
  const startedWith = async () => (await readFile(started, 'utf8')).split('\n').filter(Boolean);
  return { folder, localise, type, startedWith };
}
