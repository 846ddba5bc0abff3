/** What of kept documents is somebody's. */

import test from 'ava';
import { insertLists } from '../../../src/repository/kept/lists.ts';
import { deleteLists, listLists } from '../../../src/repository/people/kept-traces.ts';
import type { Person } from '../../../src/repository/people/person.ts';
import { createTestDatabase } from '../../support/database.ts';

const environment = 'shop';
const expiresAt = new Date(Date.now() + 60_000);

const listOf = (listKey: string, names: object, more: object = {}) => {
  const payload = JSON.stringify({
    kind: 'recommendations',
    listName: 'home',
    ...names,
    requestId: 'r',
    ...more,
  });
  return { environment, listKey, expiresAt, payload };
};

const personOf = (deviceIds: readonly string[], more: Partial<Person> = {}): Person => ({
  environment,
  deviceIds,
  hasWholeDevices: false,
  ...more,
});

test("a list is its user's, and its device's while no user is named, however they are written", async (t) => {
  const db = await createTestDatabase(t);
  const odd = 'd","x":"\\';
  await insertLists(db, [
    listOf('of odd', { deviceId: odd }),
    listOf('of another', { deviceId: odd, userId: 'ben' }),
    listOf('of anna', { deviceId: 'elsewhere', userId: 'anna' }),
    listOf(
      'says so',
      { deviceId: 'd' },
      { asked: { body: JSON.stringify({ device_id: odd, deviceId: odd }) } },
    ),
    {
      ...listOf('', {}),
      listKey: 'search',
      payload: JSON.stringify({ kind: 'search', listName: '"deviceId":"d"' }),
    },
  ]);
  const keysOf = async (person: Person) => {
    const found: unknown[] = [];
    for await (const lists of listLists(db, person)) found.push(...lists);
    return found.map((list) => [
      (list as { deviceId: string }).deviceId,
      (list as { userId?: string }).userId,
    ]);
  };
  t.deepEqual(await keysOf(personOf([odd])), [[odd, undefined]]);
  t.deepEqual(await keysOf(personOf(['"', 'x', '\\', ''])), []);
  t.is((await keysOf(personOf([odd], { hasWholeDevices: true }))).length, 2);
  t.is((await keysOf(personOf([odd], { userId: 'anna' }))).length, 2);
  t.is(await deleteLists(db, personOf([odd, 'd'], { userId: 'ben' })), 3);
});

test("lists are looked through in the time of a statement, however many devices are a user's", async (t) => {
  t.timeout(120_000);
  const db = await createTestDatabase(t);
  const items = Array.from({ length: 100 }, (_, place) => [`item-${place}`, 'product']);
  const lists = Array.from({ length: 4_000 }, (_, place) =>
    listOf(`list ${place}`, { deviceId: `device-${place}` }, { items }),
  );
  await insertLists(db, lists);
  const devices = Array.from({ length: 30_000 }, (_, place) => `device-${place + 3_000}`);
  t.is(await deleteLists(db, personOf(devices)), 1_000);
});
