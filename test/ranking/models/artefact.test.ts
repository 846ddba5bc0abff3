import test from 'ava';
import { allStrings, createStringTable } from '../../../src/ranking/models/arrays/string-table.ts';
import { packModels, unpackModels, unpackModelsInTurns } from '../../../src/ranking/models/artefact.ts';
import { coVisits } from '../../../src/ranking/models/co-visits.ts';
import { trending } from '../../../src/ranking/models/trending.ts';
import { nowSeconds, plantedWorld } from './world.ts';

const keys = ['article\u0000ü', '', 'product\u0000日本'];

test('packed arrays are unpacked as views into one buffer', (t) => {
  const { interactions } = plantedWorld();
  const tables = {
    coVisits: coVisits.train(interactions, {}),
    trending: trending.train(interactions, { nowSeconds }),
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

test('unpacking in slices gives the same arrays and finds damage', async (t) => {
  const buffer = packModels({
    itemKeys: createStringTable(keys),
    fallbackOrder: Int32Array.from({ length: 1_200_000 }, (_, local) => local),
  });
  let turnCount = 0;
  const giveWay = async () => {
    turnCount += 1;
  };
  const unpacked = await unpackModelsInTurns(buffer, giveWay);
  t.true(turnCount > 1);
  if (!unpacked.ok) return t.fail(unpacked.reason);
  t.deepEqual(allStrings(unpacked.models.itemKeys), keys);
  t.is(unpacked.models.fallbackOrder!.at(-1), 1_199_999);
  unpacked.models.fallbackOrder![1_199_999] += 1;
  t.deepEqual(await unpackModelsInTurns(buffer, giveWay), { ok: false, reason: 'checksum does not match' });
  const tooShort = await unpackModelsInTurns(new ArrayBuffer(3), giveWay);
  t.false(tooShort.ok);
});

test('a stored copy in a plain buffer is readable', (t) => {
  const copy = new Uint8Array(new Uint8Array(packModels({ itemKeys: createStringTable(keys) }))).buffer;
  const unpacked = unpackModels(copy);
  t.true(unpacked.ok && allStrings(unpacked.models.itemKeys).length === 3);
});
