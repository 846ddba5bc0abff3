/** Groups are imported from a column or a field, and collapsed in results. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { createJsonClient } from '../../support/json-client.ts';
import { startTestService } from '../../support/service.ts';
import { runAgainst } from '../support/command.ts';

type Item = { item_id: string; group_id?: string };
type Results = { lists: { items: { item_id: string; group_size?: number }[] }[] };

/** By name of the file. */
const files: Record<string, { content: string; mapping?: string }> = {
  'plain.csv': { content: 'item_id,title,group_id\na-red,Apron,apron\na-blue,Apron,apron\na,Ladle,\n' },
  'mapped.csv': {
    content: 'sku;name;parent\nb-red;Bowl;bowl\nb-blue;Bowl;bowl\nb;Broom;\n',
    mapping: 'delimiter: ";"\nitems: { item_id: sku, title: name, group_id: parent }\n',
  },
  'mapped.ndjson': {
    content: [
      { sku: 'c-red', name: 'Cup', series: 'cup' },
      { sku: 'c-blue', name: 'Cup', series: 'cup' },
      { sku: 'c', name: 'Comb' },
    ]
      .map((line) => `${JSON.stringify(line)}\n`)
      .join(''),
    mapping: 'items: { item_id: sku, title: name, group_id: series }\n',
  },
};

test('groups are read from columns and fields, and an item without one has no group', async (t) => {
  const service = await startTestService(t);
  const http = createJsonClient(service);
  for (const [name, { content, mapping }] of Object.entries(files)) {
    const path = join(service.dataDir, name);
    await writeFile(path, content);
    if (mapping !== undefined) await writeFile(`${path}.yaml`, mapping);
    const mapped = mapping === undefined ? [] : ['--mapping', `${path}.yaml`];
    const where = ['--environment', 'shop', '--item-type', 'product', ...mapped];
    const { exitCode, stderr } = await runAgainst(service, 'import', 'items', path, ...where);
    t.is(exitCode, 0, stderr);
  }
  for (const [letter, group] of Object.entries({ a: 'apron', b: 'bowl', c: 'cup' })) {
    const find = async (id: string) => (await http.get<Item>(`/shop/items/product/${id}`)).body.group_id;
    t.deepEqual(await Promise.all([`${letter}-red`, `${letter}-blue`, letter].map(find)), [
      group,
      group,
      undefined,
    ]);
    const query = { q: group, device_id: 'phone', page_type: 'search' };
    const { body } = await http.post<Results>('/shop/searches/requests', query);
    t.deepEqual(
      body.lists[0].items.map(({ group_size: size }) => size),
      [2],
    );
  }
});
