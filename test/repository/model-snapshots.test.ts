import test from 'ava';
import { findModelSnapshot, saveModelSnapshot } from '../../src/repository/model-snapshots.ts';
import { createTestDatabase } from '../support/database.ts';

function artefactOf(byteLength: number, seed: number): SharedArrayBuffer {
  const bytes = new Uint8Array(new SharedArrayBuffer(byteLength));
  for (let i = 0; i < byteLength; i++) bytes[i] = (i * 31 + seed) % 251;
  return bytes.buffer;
}

test('a snapshot comes back byte for byte, and the next one replaces it', async (t) => {
  const db = await createTestDatabase(t);
  t.is(await findModelSnapshot(db, 'shop'), undefined);
  for (const [byteLength, seed] of [
    [9_000_001, 1],
    [100, 2],
  ]) {
    const artefact = artefactOf(byteLength, seed);
    await saveModelSnapshot(db, 'shop', artefact);
    const found = await findModelSnapshot(db, 'shop');
    t.true(Buffer.from(found!).equals(Buffer.from(artefact)));
  }
  t.is(await findModelSnapshot(db, 'other'), undefined);
});
