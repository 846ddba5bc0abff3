/** Finds the trusted users of devices, for clicks and purchases that name a device alone. */

import { bucketOf } from '../buckets.ts';
import { type Database, query } from '../database.ts';
import type { MetricBatch } from '../metrics/metric-batch.ts';
import type { Link } from './pending-events.ts';

export type OwnerTools = {
  db: Database;
  bucketCount: number;
  /** Returns the user of a device by events that are not aggregated yet [not known]. */
  findLink?: (environment: string, deviceId: string) => Link;
};

type Device = { environment: string; deviceId: string };
type Owner = { environment: string; subject: string; userId: string };

const findStatement = `
select environment, subject, linked_user as "userId" from find_owners($1, $2, $3)`;

/** Adds the device's user to clicks and purchases without one. */
export async function withOwners(
  tools: OwnerTools,
  { clicks, purchases }: Pick<MetricBatch, 'clicks' | 'purchases'>,
): Promise<Pick<MetricBatch, 'clicks' | 'purchases'>> {
  const anonymous = [...clicks.values(), ...purchases].filter(({ user_id }) => user_id === undefined);
  const devices = anonymous.flatMap(({ environment, device_id: deviceId }) =>
    deviceId === undefined ? [] : { environment, deviceId },
  );
  if (devices.length === 0) return { clicks, purchases };
  const ownerOf = await findOwners(tools, devices);
  const withOwner = <Moment extends { environment: string; user_id?: string; device_id?: string }>(
    moment: Moment,
  ): Moment => ({ ...moment, user_id: moment.user_id ?? ownerOf(moment.environment, moment.device_id) });
  return {
    clicks: new Map(Array.from(clicks, ([key, click]) => [key, withOwner(click)])),
    purchases: purchases.map(withOwner),
  };
}

async function findOwners({ db, bucketCount, findLink }: OwnerTools, devices: readonly Device[]) {
  const owners = new Map<string, string>();
  const keyOf = (environment: string, subject: string) => JSON.stringify([environment, subject]);
  const bucketOfDevice = ({ environment, deviceId }: Device) =>
    bucketOf(bucketCount, environment, `d:${deviceId}`);
  for (const [bucket, ofBucket] of Map.groupBy(devices, bucketOfDevice)) {
    const subjects = ofBucket.map(({ deviceId }) => `d:${deviceId}`);
    const values = [bucket, ofBucket.map(({ environment }) => environment), subjects];
    const rows = await query<Owner>(db, 'find-device-owners', findStatement, values);
    for (const { environment, subject, userId } of rows) owners.set(keyOf(environment, subject), userId);
  }
  return (environment: string, deviceId: string | undefined): string | undefined => {
    if (deviceId === undefined) return undefined;
    const link = findLink?.(environment, deviceId);
    if (link?.user !== undefined || link?.isEnded) return link.user;
    return owners.get(keyOf(environment, `d:${deviceId}`));
  };
}
