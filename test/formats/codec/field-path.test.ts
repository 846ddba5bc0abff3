import test from 'ava';
import { services } from '../../../gen/rest/services.ts';
import { fieldPathOf } from '../../../src/formats/codec/field-path.ts';

const methods = new Map(services.flatMap(({ methods }) => methods.map((method) => [method.name, method])));

const cases: [rpc: string, pointer: string, path: string][] = [
  ['CreateRecommendations', '', 'request'],
  ['CreateRecommendations', '/lists/0/list_size', 'request.lists[0].list_size'],
  ['CreateRecommendations', '/histories/a~1b/3/id', 'request.histories["a/b"].items[3].id'],
  ['CreateRecommendations', '/colour', 'request.variables["colour"]'],
  ['CreateRecommendations', '/lists/1/colour/0', 'request.lists[1].variables["colour"][0]'],
  ['CreateEvents', '/events/12/page_type', 'batch.events[12].page_type'],
  ['PutItem', '/item_type', 'item.item_type'],
  ['PutItem', '/sizes/0', 'item.properties["sizes"][0]'],
  ['GetItem', 'path:item_id', 'item_id'],
  ['GetMetric', 'query:environment', 'environment'],
  ['ImportItems', '/items/3/item/title', 'items[3].item.title'],
  ['PutConfiguration', '/constraints/0/query/match', 'configuration.constraints[0].query.match'],
];

for (const [rpc, pointer, path] of cases)
  test(`${pointer || 'the body'} of ${rpc} is ${path}`, (t) =>
    t.is(fieldPathOf(methods.get(rpc)!, pointer), path));
