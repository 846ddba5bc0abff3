import test from 'ava';
import { startSecondNode } from '../../contract/support/second-node.ts';
import { createJsonClient } from '../../support/json-client.ts';
import { shopDeployment, startTestService } from '../../support/service.ts';

test('another deployment deletes unchanged configurations of the demo, and the demo restores them', async (t) => {
  const service = await startTestService(t, 'demo');
  const http = createJsonClient(service);
  const list = async (baseUrl: string) =>
    (await createJsonClient({ ...service, baseUrl }).get<string[]>('/configurations')).body;
  const ofDemo = await list(service.baseUrl);
  t.true(ofDemo.length > 3);
  const changed = { configuration_id: 'home', preferences: [] };
  await http.put('/configurations/home', changed);
  const own = await startSecondNode(service, shopDeployment);
  t.deepEqual(await list(own.baseUrl), ['home']);
  await own.stop();
  const again = await startSecondNode(service, 'demo');
  t.deepEqual(await list(again.baseUrl), ofDemo);
  t.deepEqual((await http.get('/configurations/home')).body, changed);
  await again.stop();
});

test('a service first started as the demo has only its own configurations afterwards', async (t) => {
  const service = await startTestService(t, shopDeployment);
  const http = createJsonClient(service);
  const home = { configuration_id: 'home', constraints: [{ query: { key: 'in_stock', match: true } }] };
  await http.put('/configurations/home', home);
  const mistake = await startSecondNode(service, 'demo');
  t.deepEqual((await http.get('/configurations/home')).body, home);
  t.true((await http.get<string[]>('/configurations')).body.length > 1);
  await mistake.stop();
  const right = await startSecondNode(service, shopDeployment);
  t.deepEqual((await http.get<string[]>('/configurations')).body, ['home']);
  t.deepEqual((await http.get('/configurations/home')).body, home);
  await right.stop();
});
