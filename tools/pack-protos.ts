/**
 * `npm run pack:protos [-- FOLDER]`: an archive of the contract that any protobuf compiler reads with one `-I`, nothing of ours
 * installed: our files, those of `google/api` that they import, and a module file for buf. What is in `google/protobuf` every
 * compiler brings itself.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const name = `personalisation-protos-${version}`;
const imported = ['google/api/annotations.proto', 'google/api/http.proto'];

const target = resolve(process.argv[2] ?? '.');
const staging = mkdtempSync(join(tmpdir(), 'pack-protos-'));
try {
  const folder = join(staging, name);
  cpSync(join(root, 'proto'), join(folder, 'proto'), { recursive: true });
  mkdirSync(join(folder, 'proto/google/api'), { recursive: true });
  for (const path of imported)
    cpSync(join(root, 'node_modules/protobufjs', path), join(folder, 'proto', path));
  writeFileSync(join(folder, 'buf.yaml'), 'version: v2\nmodules:\n  - path: proto\n');
  writeFileSync(join(folder, 'README.md'), readme());
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  mkdirSync(target, { recursive: true });
  const archive = join(target, `${name}.tar.gz`);
  execFileSync('tar', ['-czf', archive, '-C', staging, name]);
  console.log(archive);
} finally {
  rmSync(staging, { recursive: true, force: true });
}

function readme(): string {
  return `# The contract of the personalisation service, ${version}

Every compiler reads it with one include path:

    protoc -I proto --python_out=out $(find proto -name '*.proto')
    buf build

Start with \`proto/personalisation/v1/recommendation_service.proto\`. Files under \`proto/google/api\` are Google's (Apache-2.0).
`;
}
