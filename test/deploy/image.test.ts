/** The image, the compose file, the chart and `migrate`, checked without an engine. */

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import test from 'ava';
import { parse, parseAllDocuments } from 'yaml';
import { run } from '../clients/support/installed.ts';
import { makeCertificate } from '../support/certificate.ts';
import { createTestDatabase } from '../support/database.ts';
import { program } from '../support/program.ts';

const root = new URL('../../', import.meta.url).pathname;
const read = (path: string) => readFileSync(join(root, path), 'utf8');

test('the files that the image copies exist, and pass .dockerignore', (t) => {
  const allowed = read('.dockerignore')
    .split('\n')
    .filter((line) => line.startsWith('!'))
    .map((line) => line.slice(1).replace('*', '[^/]+'));
  const copied = Array.from(read('Dockerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm), ([, paths]) =>
    paths.split(' '),
  ).flat();
  t.true(copied.length > 5);
  for (const path of copied) {
    t.true(existsSync(join(root, path)), path);
    t.true(
      allowed.some((pattern) => new RegExp(`^${pattern}$`).test(path)),
      `${path} is ignored`,
    );
  }
});

test('Prometheus scrapes the port that the image exposes for it', (t) => {
  const [, port] = /ADMIN_PORT=(\d+)/.exec(read('Dockerfile'))!;
  const { scrape_configs } = parse(read('deploy/prometheus/prometheus.yml'));
  t.deepEqual(scrape_configs[0].static_configs[0].targets, [`service:${port}`]);
  t.true(Object.hasOwn(parse(read('compose.yaml'), { merge: true }).services, 'service'));
});

test('no pod gets the addresses of Services as variables, which would override settings', (t) => {
  for (const name of ['nodes', 'worker', 'migration']) {
    const template = read(`deploy/helm/personalisation/templates/${name}.yaml`);
    t.regex(template, /^ {6}enableServiceLinks: false$/m);
  }
});

test('the image runs Node with the options of `npm start`', (t) => {
  const [, entry] = /^ENTRYPOINT (.*)$/m.exec(read('Dockerfile'))!;
  const [, ...words] = JSON.parse(read('package.json')).scripts.start.split(' ');
  const optionsOf = (words: string[]) => words.filter((word) => word.startsWith('-'));
  t.true(optionsOf(words).length > 0);
  t.deepEqual(optionsOf(JSON.parse(entry)), optionsOf(words));
});

/** The exit code of the image's health check. */
async function checkHealth(port: number): Promise<number | null> {
  const [, check] = /^HEALTHCHECK [^[]*\\\n\s+CMD (.*)$/m.exec(read('Dockerfile'))!;
  const [, ...words] = JSON.parse(check);
  const env = { ...process.env, PORT: String(port) };
  const [code] = await once(spawn(process.execPath, words, { env, stdio: 'ignore' }), 'exit');
  return code;
}

test('the health check of the image works with and without TLS', async (t) => {
  const { certificate, key } = makeCertificate();
  const secure = createSecureServer({ cert: certificate, key });
  for (const server of [createServer(), secure]) {
    let status = 200;
    server.on('request', ({ url }, response) => {
      response.statusCode = url === '/healthz' ? status : 404;
      response.end();
    });
    await new Promise<void>((done) => server.listen(0, () => done()));
    const { port } = server.address() as AddressInfo;
    t.is(await checkHealth(port), 0);
    status = 503;
    t.is(await checkHealth(port), 1);
    server.close();
    server.closeAllConnections();
    t.is(await checkHealth(port), 1);
  }
});

test('the example cluster names its own services, and is built from this repository', (t) => {
  const folder = 'docs/examples/citus';
  const { services } = parse(read(`${folder}/compose.yaml`), { merge: true });
  const named = services.cluster.command.join(' ').match(/(?<=')[a-z0-9-]+(?=', 5432)/g);
  t.deepEqual(named, ['coordinator', 'worker-1', 'worker-2']);
  for (const name of named) t.true(Object.hasOwn(services, name), name);
  t.true(existsSync(join(root, folder, services['node-1'].build, 'Dockerfile')));
  t.true(services['node-2'].environment.DATABASE_URL.includes(`@${named[0]}/`));
});

test('the values of the chart match its schema, and its templates read no others', (t) => {
  const folder = 'deploy/helm/personalisation';
  const validate = new Ajv().compile(JSON.parse(read(`${folder}/values.schema.json`)));
  const values = parse(read(`${folder}/values.yaml`));
  const documented = /```yaml\n(# values\.yaml.*?)```/s.exec(read('docs/install.md'))!;
  for (const some of [values, parse(read(`${folder}/ci/values.yaml`)), parse(documented[1])])
    t.true(validate({ ...values, ...some }), JSON.stringify(validate.errors));
  t.false(validate({ ...values, trustedProxy: [] }));
  const templates = readdirSync(join(root, folder, 'templates'));
  const texts = templates.map((name) => read(`${folder}/templates/${name}`)).join('\n');
  const asked = new Set(Array.from(texts.matchAll(/\.Values\.([\w.]+)/g), ([, path]) => path));
  t.true(asked.size > 20);
  const find = (path: string) => path.split('.').reduce((value, name) => value?.[name], values);
  for (const path of asked) t.not(find(path), undefined, path);
});

test('migrate brings an empty database up to date, and reports if it already is', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'migrate-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const database = await createTestDatabase(t);
  await database.pool.query('drop schema public cascade; create schema public');
  const { host, port, user, password, database: name } = database.connection;
  const login = [user, password].map((part) => encodeURIComponent(String(part ?? ''))).join(':');
  const url = `postgres://${login}@/${name}?host=${encodeURIComponent(host!)}&port=${port}`;
  const migrate = [program, 'migrate', '--database-url', url, '--data-dir', folder];
  const { stdout } = await run(process.execPath, migrate, { cwd: root });
  t.regex(
    stdout,
    /^The database was upgraded \(001-buckets, .*\); it is of \S+\.\nThe administrator's client is in /,
  );
  t.true(existsSync(join(folder, 'admin-credentials.json')));
  t.regex(
    (await run(process.execPath, migrate, { cwd: root })).stdout,
    /^The database was up to date; .*\n$/,
  );
});

if (spawnSync('helm', ['version']).status === 0) {
  test('the chart renders with all optional parts', async (t) => {
    const chart = join(root, 'deploy/helm/personalisation');
    const values = ['-f', join(chart, 'ci/values.yaml')];
    const render = (...options: string[]) =>
      run('helm', ['template', 'shop', chart, '--kube-version', '1.31.0', ...options]);
    const { stdout } = await render(...values);
    const documents = parseAllDocuments(stdout).map((document) => document.toJS());
    const kinds = documents.map(({ kind }) => kind).toSorted();
    t.deepEqual(kinds, [
      'ConfigMap',
      'Deployment',
      'Deployment',
      'HorizontalPodAutoscaler',
      'Ingress',
      'Job',
      'PodDisruptionBudget',
      'Service',
      'Service',
      'ServiceMonitor',
    ]);
    const { data } = documents.find(({ kind }) => kind === 'ConfigMap');
    t.deepEqual(parse(data['deployment.yaml']).server.trusted_proxies, ['10.0.0.0/8']);
    const migration = documents.find(({ kind }) => kind === 'Job').spec.template.spec.containers[0];
    t.deepEqual(migration.args.slice(0, 3), ['migrate', '--buckets', '32']);
    await t.throwsAsync(render());
    const elsewhere = render(...values, '--set', 'deployment.server.port=9000');
    await t.throwsAsync(elsewhere, { message: /deployment\.server\.port: probes and services/ });
  });
} else {
  console.warn('helm is not installed here: the chart was not rendered.');
}
