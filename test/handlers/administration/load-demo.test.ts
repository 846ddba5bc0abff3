import test from 'ava';
import { startSecondNode } from '../../contract/support/second-node.ts';
import { createJsonClient } from '../../support/json-client.ts';
import { shopDeployment, startTestService } from '../../support/service.ts';

test("the demo's configurations leave with the demo, those that somebody changed stay, and all come back", async (t) => {
  const service = await startTestService(t, 'demo');
  const http = createJsonClient(service);
  const list = async (baseUrl: string) =>
    (await createJsonClient({ ...service, baseUrl }).get<string[]>('/configurations')).body;
  const ofDemo = await list(service.baseUrl);
  t.true(ofDemo.length > 3);
  await http.put('/configurations/home', { preferences: [] });
  const own = await startSecondNode(service, shopDeployment);
  t.deepEqual(await list(own.baseUrl), ['home']);
  await own.stop();
  const again = await startSecondNode(service, 'demo');
  t.deepEqual(await list(again.baseUrl), ofDemo);
  await again.stop();
});
