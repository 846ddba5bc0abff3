import { create } from '@bufbuild/protobuf';
import { FieldMaskSchema } from '@bufbuild/protobuf/wkt';
import test from 'ava';
import { ItemSchema } from '../../../gen/es/personalisation/v1/item_pb.js';
import { patchOf } from '../../../src/handlers/items/item-patches.ts';

const item = create(ItemSchema, { title: 'Lamp', properties: { enabled: true, price: 3 } });
const patch = (...paths: string[]) => patchOf(item, create(FieldMaskSchema, { paths }));

test('a mask names fields, and properties of any name', (t) => {
  t.deepEqual(patch('title', 'tags'), { title: 'Lamp', tags: null });
  t.deepEqual(patch('properties.price', 'properties.revision'), { price: 3, revision: null });
  t.deepEqual(patch('properties.enabled'), { enabled: true });
});

for (const path of ['enabled', 'item_id', 'properties', 'properties.title', 'properties.item_id', 'price'])
  test(`a mask cannot name ${path}`, (t) => {
    t.throws(() => patch(path), { message: /Unknown or read-only field/ });
  });
