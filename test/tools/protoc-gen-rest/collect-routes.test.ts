import {
  clone,
  create,
  createFileRegistry,
  type DescService,
  getOption,
  setExtension,
} from '@bufbuild/protobuf';
import {
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
} from '@bufbuild/protobuf/wkt';
import test from 'ava';
import { http } from '../../../gen/es/google/api/annotations_pb.js';
import { type HttpRule, HttpRuleSchema } from '../../../gen/es/google/api/http_pb.js';
import {
  type Operation,
  OperationSchema,
  operation,
} from '../../../gen/es/personalisation/rest/v1/options_pb.js';
import { ItemService } from '../../../gen/es/personalisation/v1/item_service_pb.js';
import { routes } from '../../../gen/rest/routes.ts';
import { services } from '../../../gen/rest/services.ts';
import { collectRoutes } from '../../../tools/protoc-gen-rest/collect-routes.ts';

type Change = { rule?: Partial<HttpRule>; options?: Partial<Operation> };

test('the generated table is that of the protos', (t) => {
  t.deepEqual(collectRoutes(services), routes);
});

/** A change of PutItem, and the resulting error. */
const rows: [string, Change, RegExp][] = [
  [
    'an unknown field in a path',
    { rule: { pattern: { case: 'put', value: '/{colour}' } } },
    /names colour, which is no field/,
  ],
  ['a message in a path', { rule: { pattern: { case: 'put', value: '/{item}' } } }, /no scalar/],
  [
    'a field twice in a path',
    { rule: { pattern: { case: 'put', value: '/{item_id}/{item_id}' } } },
    /names item_id twice/,
  ],
  [
    'a template that is more than literals and fields',
    { rule: { pattern: { case: 'put', value: '/{item_id=**}' } } },
    /more than literals/,
  ],
  [
    'a route twice',
    { rule: { pattern: { case: 'get', value: '/{environment}/items/{item_id}/{item_type}' } } },
    /is the route of .*ItemService\.(PutItem|GetItem)/,
  ],
  ['an unknown body', { rule: { body: 'colour' } }, /body colour is no field/],
  ['a body that is no message', { rule: { body: 'item_id' } }, /body item_id is no message/],
  [
    'an unknown response field',
    { options: { responseField: 'colour' } },
    /response_field colour is no field/,
  ],
  ['an unknown partial field', { options: { partialField: 'colour' } }, /partial_field colour is no field/],
  ['a status twice', { options: { outcomes: [outcome(404), outcome(404)] } }, /status 404 twice/],
  [
    'a reason twice',
    { options: { outcomes: [outcome(404, 3), outcome(415, 3)] } },
    /two statuses for one reason/,
  ],
];

for (const [title, change, message] of rows) {
  test(`${title} is refused with file and rpc`, (t) => {
    const error = t.throws(() => collectRoutes([changed(change)]));
    t.regex(error!.message, message);
    t.regex(error!.message, /^personalisation\/v1\/item_service\.proto: ItemService\.\w+: /);
  });
}

function outcome(status: number, reason?: number): Operation['outcomes'][number] {
  const when = reason === undefined ? [] : [reason];
  return create(OperationSchema, { outcomes: [{ status, description: 'x', when }] }).outcomes[0];
}

/** ItemService, with another PutItem. */
function changed({ rule, options }: Change): DescService {
  const file = clone(FileDescriptorProtoSchema, ItemService.file.proto);
  const target = file.service[0].method[0].options!;
  const current = ItemService.method.putItem;
  setExtension(target, http, create(HttpRuleSchema, { ...getOption(current, http), ...rule } as HttpRule));
  setExtension(target, operation, create(OperationSchema, { ...getOption(current, operation), ...options }));
  const registry = createFileRegistry(create(FileDescriptorSetSchema, { file: [...dependencies(), file] }));
  return registry.getService(ItemService.typeName)!;
}

function dependencies(): FileDescriptorProto[] {
  const found = new Map<string, FileDescriptorProto>();
  const visit = (file: typeof ItemService.file) => {
    file.dependencies.forEach(visit);
    found.set(file.name, file.proto);
  };
  ItemService.file.dependencies.forEach(visit);
  return [...found.values()];
}
