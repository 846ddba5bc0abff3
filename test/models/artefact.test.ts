import test from 'ava';
import { allStrings, createStringTable } from '../../src/models/arrays/string-table.ts';
import { packModels, unpackModels } from '../../src/models/artefact.ts';
import { coVisits } from '../../src/models/co-visits.ts';
import { trending } from '../../src/models/trending.ts';
import { NOW_SECONDS, plantedWorld } from './world.ts';

const keys = ['article\u0000ü', '', 'product\u0000日本'];

test('what is packed comes back as views into the one buffer', (t) => {
  const { interactions } = plantedWorld();
  const tables = {
    coVisits: coVisits.train(interactions, {}),
    trending: trending.train(interactions, { nowSeconds: NOW_SECONDS }),
  };
  const buffer = packModels({ itemKeys: createStringTable(keys), ...tables });
  const unpacked = unpackModels(buffer);
  if (!unpacked.ok) return t.fail(unpacked.reason);
  t.deepEqual(allStrings(unpacked.models.itemKeys), keys);
  t.deepEqual(unpacked.models.coVisits, tables.coVisits);
  t.deepEqual(unpacked.models.trending, tables.trending);
  t.is(unpacked.models.contentSimilarity, undefined);
  t.is(unpacked.models.coVisits!.scores.buffer, buffer as ArrayBufferLike);
});

test('a stored copy in a plain buffer is read as well', (t) => {
  const copy = new Uint8Array(new Uint8Array(packModels({ itemKeys: createStringTable(keys) }))).buffer;
  const unpacked = unpackModels(copy);
  t.true(unpacked.ok && allStrings(unpacked.models.itemKeys).length === 3);
});
