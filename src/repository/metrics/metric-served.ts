/** Adds what a node has served to the counts, many calls at once. */
import { type Database, inTransaction } from '../database.ts';
import type { MetricBatch } from './metric-batch.ts';
import { writeHours } from './metric-counts.ts';

/** A device that got an answer of a group and version on a day since 1970, UTC. */
export type Exposure = {
  environment: string;
  day: number;
  device_id: string;
  user_group: string;
  version: string;
};

const exposuresStatement = `
insert into metric_exposures (environment, day, device_id, user_group, version)
select * from json_to_recordset($1::json) as input(
  environment text, day int, device_id text, user_group text, version text)
order by environment, day, device_id, user_group, version
on conflict do nothing`;

/** All or nothing. */
export async function addServed(
  db: Database,
  served: Pick<MetricBatch, 'hours' | 'combinations'>,
  exposures: Exposure[],
): Promise<void> {
  await inTransaction(db, async (run) => {
    if (exposures.length > 0)
      await run({ name: 'add-exposures', text: exposuresStatement, values: [JSON.stringify(exposures)] });
    await writeHours(run, served);
  });
}
