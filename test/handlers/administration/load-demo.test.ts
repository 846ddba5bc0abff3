import test from 'ava';
import { listAudiences } from '../../../src/repository/audiences/audiences.ts';
import { until } from '../../contract/support/people.ts';
import { startSecondNode } from '../../contract/support/second-node.ts';
import { createJsonClient } from '../../support/json-client.ts';
import { shopDeployment, startTestService } from '../../support/service.ts';

test('another deployment deletes unchanged configurations of the demo, and the demo restores them', async (t) => {
  const service = await startTestService(t, shopDeployment);
  const http = createJsonClient(service);
  const home = { configuration_id: 'home', constraints: [{ query: { key: 'in_stock', match: true } }] };
  await http.put('/configurations/home', home);
  const listAt = async (deployment: string) => {
    const node = await startSecondNode(service, deployment);
    const { body } = await createJsonClient({ ...service, baseUrl: node.baseUrl }).get('/configurations');
    t.deepEqual((await http.get('/configurations/home')).body, home);
    await node.stop();
    return body as string[];
  };
  const ofDemo = await listAt('demo');
  t.true(ofDemo.length > 3);
  t.deepEqual(await listAt(shopDeployment), ['home']);
  t.deepEqual(await listAt('demo'), ofDemo);
});

test('the demo has past trainings, and an audience soon after its start', async (t) => {
  const service = await startTestService(t, 'demo');
  const { body } = await createJsonClient(service).get('/demo/models/trainings');
  const { trainings } = body as { trainings: { state: string; version: number }[] };
  t.true(trainings.filter(({ state, version }) => state === 'published' && version === 0).length > 1);
  await until(async () => (await listAudiences(service.database, 'demo', 2)).length === 1);
});
