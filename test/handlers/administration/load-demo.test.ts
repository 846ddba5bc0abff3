import test from 'ava';
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
