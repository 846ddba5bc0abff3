/**
 * Finds the events that link devices to users and must outlive retention. Opt-outs never expire,
 * and apply to the user of the device and to all devices of the user. So retention keeps the last
 * event that links such a device, and the last public one of each pair of device and user.
 */

import { anonymousDevice } from '../../ranking/subject.ts';
import { findableStatements } from '../audiences/audience-events.ts';
import { type Database, query } from '../database.ts';
import { type FeedRange, positionKey } from '../feeds.ts';
import { forgetPages, type Pace } from './pace.ts';

const eventsPerStatement = 10_000;

/** Subjects with an opt-out or opt-in. */
type Speakers = { devices: Set<string>; users: Set<string> };

type Link = {
  feed: string;
  deviceId: string;
  userId: string;
  number: number;
  isPublic: boolean;
  arrivedAtSeconds: number;
};

const speakersStatement = `
with page as (
  select number, device_id, user_id from events
  where bucket = $1 and environment = $2 and lane = $3 and number > $4 and number <= $5 and ${findableStatements}
  order by number limit ${eventsPerStatement}
)
select (select max(number) from page) as "reached",
  array(select distinct device_id from page where device_id is not null) as "devices",
  array(select distinct user_id from page where user_id is not null) as "users"`;

/** Returns at least one row, which carries `reached`. Excludes anonymous devices. */
const linksStatement = `
with page as (
  select number, received_at, device_id, user_id, robot, is_public from events
  where bucket = $1 and environment = $2 and lane = $3 and number > $4 and number <= $5
  order by number limit ${eventsPerStatement}
),
links as (
  select * from page where not robot and device_id is not null and user_id <> '${anonymousDevice}'
)
select reached, device_id as "deviceId", user_id as "userId", number,
  is_public as "isPublic", extract(epoch from received_at)::float8 as "arrivedAtSeconds"
from (select max(number) as reached from page) as place left join links on true
order by number`;

/** Returns the numbers of the events to keep from the ranges `going`, by feed, ascending. */
export async function findOptOutLinks(
  db: Database,
  environment: string,
  { all, going }: { all: readonly FeedRange[]; going: readonly FeedRange[] },
  pace: Pace,
): Promise<Map<string, number[]>> {
  const { devices, users } = await listSpeakers(db, environment, all, pace);
  if (devices.size + users.size === 0) return new Map();
  const followed = new Set(devices);
  await visitLinks(db, environment, going, pace, ({ deviceId, userId, isPublic }) => {
    if (!isPublic && users.has(userId)) followed.add(deviceId);
  });
  const last = new Map<string, Link>();
  await visitLinks(db, environment, going, pace, (link) => {
    const { deviceId, userId, isPublic } = link;
    const isMeant = isPublic ? devices.has(deviceId) || users.has(userId) : followed.has(deviceId);
    if (!isMeant) return;
    const key = JSON.stringify(isPublic ? [deviceId, userId] : [deviceId]);
    const known = last.get(key);
    if (!known || link.arrivedAtSeconds >= known.arrivedAtSeconds) last.set(key, link);
  });
  const staying = [...last.values()].filter(
    ({ deviceId, userId }) => devices.has(deviceId) || users.has(userId),
  );
  const numbers = new Map<string, number[]>();
  for (const [feed, links] of Map.groupBy(staying, ({ feed }) => feed))
    numbers.set(
      feed,
      links.map(({ number }) => number).sort((a, b) => a - b),
    );
  return numbers;
}

async function listSpeakers(
  db: Database,
  environment: string,
  ranges: readonly FeedRange[],
  pace: Pace,
): Promise<Speakers> {
  const speakers: Speakers = { devices: new Set(), users: new Set() };
  for (const { bucket, lane, since, until } of ranges)
    await forgetPages(pace, since, async (place) => {
      const values = [bucket, environment, lane, place, until];
      type Row = { reached: number | null; devices: string[]; users: string[] };
      const [{ reached, devices, users }] = await query<Row>(db, 'list-speakers', speakersStatement, values);
      for (const deviceId of devices) speakers.devices.add(deviceId);
      for (const userId of users) speakers.users.add(userId);
      return [{ reached, count: 0 }];
    });
  return speakers;
}

/** Visits links in order of arrival within each range. */
async function visitLinks(
  db: Database,
  environment: string,
  ranges: readonly FeedRange[],
  pace: Pace,
  visit: (link: Link) => void,
): Promise<void> {
  for (const { bucket, lane, since, until } of ranges) {
    const feed = positionKey({ bucket, lane });
    await forgetPages(pace, since, async (place) => {
      const values = [bucket, environment, lane, place, until];
      const rows = await query<LinkRow>(db, 'list-links', linksStatement, values);
      for (const { reached: _, ...link } of rows)
        if (link.deviceId !== null) visit({ feed, ...(link as Omit<Link, 'feed'>) });
      return [{ reached: rows[0].reached, count: 0 }];
    });
  }
}

/** Nulls where a page has no link. */
type LinkRow = { reached: number | null } & {
  [Name in Exclude<keyof Link, 'feed'>]: Link[Name] | null;
};
