/** Finding and erasing a person's rows in tables that hold documents. */

import test from 'ava';
import { sql } from 'kysely';
import { insertAudience, type MemberRow } from '../../../src/repository/audiences/audiences.ts';
import { insertLists } from '../../../src/repository/kept/lists.ts';
import type { Person } from '../../../src/repository/people/person.ts';
import { erasePersonalData, exportPersonalData } from '../../../src/repository/people/personal-rows.ts';
import { visitorMark } from '../../../src/repository/search/visitor-mark.ts';
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

test('a list belongs to its user, and to its device if it names no user, whatever characters the IDs contain', async (t) => {
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
    for await (const lists of exportPersonalData(db, person, 'lists')) found.push(...lists);
    return found.map((list) => [
      (list as { deviceId: string }).deviceId,
      (list as { userId?: string }).userId,
    ]);
  };
  t.deepEqual(await keysOf(personOf([odd])), [[odd, undefined]]);
  t.deepEqual(await keysOf(personOf(['"', 'x', '\\', ''])), []);
  t.is((await keysOf(personOf([odd], { hasWholeDevices: true }))).length, 2);
  t.is((await keysOf(personOf([odd], { userId: 'anna' }))).length, 2);
  t.is(await erasePersonalData(db, personOf([odd, 'd'], { userId: 'ben' }), 'lists'), 3);
});

test('lists are scanned within the time of a statement, however many devices a user has', async (t) => {
  const db = await createTestDatabase(t);
  const items = Array.from({ length: 100 }, (_, place) => [`item-${place}`, 'product']);
  const lists = Array.from({ length: 4_000 }, (_, place) =>
    listOf(`list ${place}`, { deviceId: `device-${place}` }, { items }),
  );
  await insertLists(db, lists);
  const devices = Array.from({ length: 30_000 }, (_, place) => `device-${place + 3_000}`);
  t.is(await erasePersonalData(db, personOf(devices), 'lists'), 1_000);
});

test('search visits of a user are erased, however many devices they have', async (t) => {
  const db = await createTestDatabase(t);
  await sql`
    insert into search_clicks (
      environment, fingerprint, item_type, item_id, clicks, views, counted_at, clickers, viewers, number)
    select ${environment}, fingerprint, 'product', 'lamp', 1, 1, now(), others,
      others || case when fingerprint = 5 then ${visitorMark('ddevice-7')} else ''::bytea end, fingerprint
    from generate_series(1, 4000) as fingerprint, (
      select string_agg(int4send(place), ''::bytea) as others from generate_series(1, 63) as place
    ) as visitors`.execute(db.kysely);
  const devices = Array.from({ length: 20_000 }, (_, place) => `device-${place}`);
  t.is(await erasePersonalData(db, personOf(devices), 'search_visits'), 1);
  const { rows } = await sql`select distinct length(viewers) as bytes from search_clicks`.execute(db.kysely);
  t.deepEqual(rows, [{ bytes: 63 * 4 }]);
});

test('every membership is exported, also of two devices in one audience', async (t) => {
  const db = await createTestDatabase(t);
  const members: MemberRow[] = [
    ['d:phone', 3],
    ['u:ben', 2],
    ['d:tablet', 1],
  ];
  await insertAudience(db, {
    environment,
    audienceId: 'spring',
    audienceName: 'spring',
    integrationType: 'email',
    request: {},
    expiresAt,
    members,
    heldOut: [],
  });
  const person = personOf(['phone', 'tablet'], { userId: 'anna' });
  const found: object[] = [];
  for await (const members of exportPersonalData(db, person, 'audience_members')) found.push(...members);
  t.deepEqual(
    found.map((place) => (place as { score: number }).score),
    [3, 1],
  );
});
