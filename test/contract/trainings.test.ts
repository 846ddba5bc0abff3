/** Trainings for an administrator: requested, watched, listed, rolled back. */

import { setTimeout as delay } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { startTestService, type TestService } from '../support/service.ts';
import { startSecondNode } from './support/second-node.ts';

const deployment = `
environments:
  - name: shop
    item_types: [ { name: product } ]
  - name: other
    item_types: [ { name: product } ]`;

type Training = {
  training_id: string;
  environment: string;
  state: string;
  reason: string;
  decision: string;
  version?: number;
  end_time?: string;
};
type Listed = { trainings: Training[]; served_version?: number; held?: boolean };

function createModels({ baseUrl, authorization }: Pick<TestService, 'baseUrl' | 'authorization'>) {
  const call = async (method: string, path: string, headers: Record<string, string> = { authorization }) => {
    const response = await fetch(`${baseUrl}/shop/models/${path}`, { method, headers });
    return { status: response.status, body: (await response.json()) as Training & Listed };
  };
  const find = async (id: string): Promise<Training> => (await call('GET', `trainings/${id}`)).body;
  return {
    call,
    find,
    list: async (): Promise<Listed> => (await call('GET', 'trainings?page_size=200')).body,
    /** Requests a training and waits for its end, even if others run. */
    async train(): Promise<Training> {
      const { training_id: id } = (await call('POST', 'trainings')).body as Training;
      return until(
        () => find(id),
        ({ end_time: end }) => end !== undefined,
      );
    },
  };
}

/** AVA limits the wait. */
async function until<T>(look: () => Promise<T>, holds: (found: T) => boolean): Promise<T> {
  for (let found = await look(); ; found = await look()) {
    if (holds(found)) return found;
    await delay(50);
  }
}

const start = async (t: ExecutionContext) => {
  const service = await startTestService(t, deployment, { trains: true });
  return { service, models: createModels(service) };
};

const put = ({ baseUrl, authorization }: TestService, id: string) =>
  fetch(`${baseUrl}/shop/items/product/${id}`, {
    method: 'PUT',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ title: id }),
  });

test('a requested training is published and reported as such', async (t) => {
  const { service, models } = await start(t);
  await put(service, 'a');
  const training = await models.train();
  t.like(training, { environment: 'shop', state: 'published', progress: 1, item_count: 1 });
  t.regex(training.decision, /published\.$/);
  const { trainings, served_version: served } = await models.list();
  t.true(trainings.some(({ training_id: id }) => id === training.training_id));
  t.true(served! >= training.version!);
});

test('a rollback serves the previous models, persists, and is limited to kept versions', async (t) => {
  const { models } = await start(t);
  for (let count = 0; count < 2; count++) await models.train();
  const { status, body } = await models.call('POST', 'rollback');
  t.is(status, 200);
  t.like(await models.list(), { held: true, served_version: body.version });
  let last = body.version!;
  for (let next = await models.call('POST', 'rollback'); next.status !== 409; ) {
    t.true(next.body.version! < last);
    last = next.body.version!;
    next = await models.call('POST', 'rollback');
  }
  const { state, version = 0 } = await models.train();
  t.is(state, 'published');
  const after = await models.list();
  t.false(after.held);
  t.true(after.served_version! >= version);
});

test('callers other than administrators, unknown trainings and values out of range are refused', async (t) => {
  const { models } = await start(t);
  for (const [method, path] of [
    ['POST', 'trainings'],
    ['GET', 'trainings'],
    ['GET', 'trainings/1'],
    ['POST', 'rollback'],
  ]) {
    t.is((await models.call(method, path, {})).status, 401, path);
  }
  for (const [path, status] of [
    ['trainings/11111111-1111-1111-1111-111111111111', 404],
    ['trainings/%27;--', 404],
    ['trainings?page_size=-1', 400],
    ['trainings?page_size=x', 400],
    ['trainings?page_token=x', 400],
  ] as const) {
    t.is((await models.call('GET', path)).status, status, path);
  }
});

test("a training is its environment's own", async (t) => {
  const { service, models } = await start(t);
  const { training_id: id } = await models.train();
  const { authorization, baseUrl } = service;
  const other = await fetch(`${baseUrl}/other/models/trainings/${id}`, { headers: { authorization } });
  t.is(other.status, 404);
  const unknown = await fetch(`${baseUrl}/none/models/trainings`, {
    method: 'POST',
    headers: { authorization },
  });
  t.is(unknown.status, 404);
});

test('all nodes of a database share trainings', async (t) => {
  const { service, models } = await start(t);
  const second = await startSecondNode(service, deployment, { trains: true });
  t.teardown(second.stop);
  const { authorization } = service;
  const others = createModels({ baseUrl: second.baseUrl, authorization });
  const training = await others.train();
  t.is((await models.find(training.training_id)).state, 'published');
  const { trainings } = await models.list();
  const firsts = trainings.filter(({ reason }) => reason === 'first');
  t.true(firsts.length <= 1);
});
