/** Stored audiences: pages and expiry. */

import test from 'ava';
import { sql } from 'kysely';
import {
  type AudienceWrite,
  deleteExpiredAudiences,
  findAudience,
  insertAudience,
  listAudienceEnvironments,
  listMembers,
  type MemberRow,
  membersPerChunk,
} from '../../../src/repository/audiences/audiences.ts';
import { createTestDatabase } from '../../support/database.ts';

const environment = 'shop';
const tomorrow = new Date(Date.now() + 86_400_000);
const yesterday = new Date(Date.now() - 86_400_000);

const people = (count: number): MemberRow[] =>
  Array.from({ length: count }, (_, i) => [`u:"user", ${i}`, count - i]);

const audience = (audienceId: string, rest: Partial<AudienceWrite> = {}): AudienceWrite => ({
  environment,
  audienceId,
  audienceName: 'spring',
  integrationType: 'email',
  request: {},
  expiresAt: tomorrow,
  members: [],
  heldOut: [],
  ...rest,
});

test('a page is the requested part of the audience', async (t) => {
  const db = await createTestDatabase(t);
  const members = people(2 * membersPerChunk + 10);
  const heldOut = people(3);
  await insertAudience(db, audience('a', { members, heldOut }));
  t.like(await findAudience(db, environment, 'a'), { memberCount: members.length, heldOutCount: 3 });
  const read = (offset: number, limit: number, isHeldOut = false) =>
    listMembers(db, { environment, audienceId: 'a', heldOut: isHeldOut, offset, limit });
  for (const [offset, limit] of [
    [0, 1],
    [0, membersPerChunk],
    [membersPerChunk - 1, 2],
    [membersPerChunk, membersPerChunk],
    [7, 2 * membersPerChunk],
    [2 * membersPerChunk + 5, 100],
    [members.length, 5],
  ])
    t.deepEqual(await read(offset, limit), members.slice(offset, offset + limit), `${offset}, ${limit}`);
  t.deepEqual(await read(1, 5, true), heldOut.slice(1));
});

test('an expired audience is absent, and is deleted with its members', async (t) => {
  const db = await createTestDatabase(t);
  await insertAudience(db, audience('old', { expiresAt: yesterday, members: people(5) }));
  await insertAudience(db, audience('new', { members: people(2) }));
  t.is(await findAudience(db, environment, 'old'), undefined);
  t.is(await findAudience(db, 'elsewhere', 'new'), undefined);
  t.is(await deleteExpiredAudiences(db, 10), 1);
  const { rows } = await sql<{ id: string }>`
    select distinct audience_id as id from audience_members`.execute(db.kysely);
  t.deepEqual(rows, [{ id: 'new' }]);
});

test('an audience is stored atomically', async (t) => {
  const db = await createTestDatabase(t);
  await insertAudience(db, audience('a', { members: people(1) }));
  await t.throwsAsync(insertAudience(db, audience('a', { members: people(9) })));
  t.is((await findAudience(db, environment, 'a'))?.memberCount, 1);
});

test('environments with an audience that has not expired are listed', async (t) => {
  const db = await createTestDatabase(t);
  t.deepEqual(await listAudienceEnvironments(db), []);
  await insertAudience(db, audience('a'));
  await insertAudience(db, audience('b'));
  await insertAudience(db, { ...audience('old', { expiresAt: yesterday }), environment: 'elsewhere' });
  t.deepEqual(await listAudienceEnvironments(db), [environment]);
});
