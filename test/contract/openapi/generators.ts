/**
 * `npm run test:generators`: generates clients from the OpenAPI document by openapi-generator, and one from the protos by the
 * template of `clients/go`, and compiles each.
 *
 * It needs Java 17 and Maven, Python 3 and Go; a missing tool fails its client. The generator comes from Maven Central.
 */

import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const version = '7.14.0';
const address = `https://repo1.maven.org/maven2/org/openapitools/openapi-generator-cli/${version}/openapi-generator-cli-${version}.jar`;
const root = resolve(import.meta.dirname, '../../..');
const cache = join(root, 'node_modules/.cache/openapi-generator');
const jar = join(cache, `${version}.jar`);

/** Options of the strictest projects that use the generated sources. */
const tsconfig = {
  compilerOptions: {
    ...{ target: 'es2022', lib: ['es2022', 'dom'], module: 'esnext', moduleResolution: 'bundler' },
    ...{ strict: true, noEmit: true, types: [] },
  },
  include: ['**/*.ts'],
};

/** How each client is compiled, in its folder. */
const compilers: Record<string, string> = {
  'typescript-fetch': `"${join(root, 'node_modules/.bin/tsc')}" --project tsconfig.json`,
  python: `python3 -m venv venv && venv/bin/pip install --quiet --requirement requirements.txt &&
    venv/bin/python -c 'import openapi_client.models'`,
  java: 'mvn --quiet --batch-mode compile',
  go: 'rm -r test && GOFLAGS=-mod=mod go mod tidy && go vet .',
};

async function fetchGenerator(): Promise<void> {
  if (existsSync(jar)) return;
  mkdirSync(cache, { recursive: true });
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address} answers ${response.status}.`);
  writeFileSync(`${jar}.part`, Buffer.from(await response.arrayBuffer()));
  renameSync(`${jar}.part`, jar);
}

async function compile(name: string, folder: string): Promise<void> {
  const options = ['--git-user-id', 'example', '--git-repo-id', 'personalisation'];
  const document = join(root, 'gen/rest/openapi.json');
  const maxBuffer = 1 << 26;
  await run('java', ['-jar', jar, 'generate', '-g', name, '-i', document, '-o', folder, ...options], {
    maxBuffer,
  });
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig));
  await run('bash', ['-c', compilers[name]], { cwd: folder, maxBuffer });
}

/** Follows `clients/go/README.md`. */
async function compileTemplate(folder: string): Promise<void> {
  const program = 'google.golang.org/protobuf/cmd/protoc-gen-go@latest';
  const connect = 'connectrpc.com/connect/cmd/protoc-gen-connect-go@latest';
  const commands = `export GOBIN="${folder}/bin" PATH="${folder}/bin:$PATH"
    go install ${program} && go install ${connect} &&
    cp -r clients/go/example "${folder}/example" &&
    node_modules/.bin/buf generate --template clients/go/buf.gen.yaml -o "${folder}/example" &&
    cd "${folder}/example" && go vet .`;
  await run('bash', ['-c', commands], { cwd: root });
}

await fetchGenerator();
const folder = mkdtempSync(join(tmpdir(), 'generators-'));
try {
  for (const name of [...Object.keys(compilers), 'template of clients/go']) {
    const target = join(folder, name.replaceAll(/\W/g, '-'));
    const compiling = name in compilers ? compile(name, target) : compileTemplate(target);
    const outcome = await compiling.catch((error: { stdout?: string }) => error);
    console.log(`${outcome === undefined ? '✔' : '✘'} ${name}`);
    if (outcome === undefined) continue;
    console.log(outcome.stdout || outcome);
    process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
