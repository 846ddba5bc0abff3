/**
 * `node test/bench/batches.ts [--seconds N] [--items N] [--events N] [--users N] [--json]`: measures batches of lists for
 * all users of the generated shop, and single lists during a batch.
 *
 * A batch alone gives users per second, and per second of the node's CPU, also relative to lists.ts for the same shop. Then
 * single lists are requested at half of their highest rate, alone and during batches, with the delay of the event loop. CPU is
 * read from /proc, so this needs Linux.
 */

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import { drive, type Measured } from './load.ts';
import { type LoopLag, watchLoop } from './loop-lag.ts';
import { createRows } from './rows.ts';
import { call, type Service, startFilledService } from './service.ts';
import { shopOptions, shopSizeOf } from './sizes.ts';
import { createWorld, environment, listSize } from './world.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    json: { type: 'boolean', default: false },
    ...shopOptions,
  },
});

const shopOptionNames = ['items', 'events', 'users'] as const;

/** Linux counts CPU times in hundredths of a second. */
const ticksPerSecond = 100;

function cpuSecondsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

const request = {
  active_within_days: 3650,
  page_type: 'detail',
  lists: [{ configuration_id: 'detail', list_name: 'mail', list_size: listSize }],
};

type Batch = { batch_id: string; state: string; people_count: number; start_time: string; end_time?: string };

async function findBatch({ port, authorization }: Service, id: string): Promise<Batch> {
  const url = `http://127.0.0.1:${port}/api/${environment}/batches/${id}`;
  return (await (await fetch(url, { headers: { authorization } })).json()) as Batch;
}

const ask = async ({ port, authorization }: Service): Promise<string> =>
  (await call(port, `/${environment}/batches`, request, authorization)).batch_id;

async function measureBatch(service: Service) {
  const before = cpuSecondsOf(service.pid);
  const id = await ask(service);
  for (;;) {
    const batch = await findBatch(service, id);
    if (batch.state === 'failed') throw new Error('The batch failed.');
    if (batch.end_time === undefined) {
      await delay(50);
      continue;
    }
    const seconds = (Date.parse(batch.end_time) - Date.parse(batch.start_time)) / 1_000;
    return { people: batch.people_count, seconds, cpuSeconds: cpuSecondsOf(service.pid) - before };
  }
}

/** Runs batches one after the other until it is stopped. */
function keepBusy(service: Service) {
  let isOver = false;
  let people = 0;
  const startMs = performance.now();
  const running = (async () => {
    while (!isOver) people += (await measureBatch(service)).people;
  })();
  return {
    async stop(): Promise<number> {
      isOver = true;
      await running;
      return people / ((performance.now() - startMs) / 1_000);
    },
  };
}

/** Returns lists per second of CPU, made in process for all users with a history in a shop of the same size. */
async function listsInProcess(): Promise<number> {
  const size = shopOptionNames.flatMap((name) => [`--${name}`, values[name]]);
  const words = [
    'test/bench/lists.ts',
    '--rounds',
    '3',
    '--people',
    String(shopSizeOf(values).users),
    '--json',
    ...size,
  ];
  const { stdout } = await promisify(execFile)(process.execPath, words);
  return 1e6 / (JSON.parse(stdout) as { median_us: number }).median_us;
}

async function main(): Promise<void> {
  const inProcess = await listsInProcess();
  const world = createWorld('batches', Math.floor(Date.now() / 1000), shopSizeOf(values));
  const { started: service, read: readLag, close } = await watchLoop(() => startFilledService(world));
  try {
    const [row] = await createRows(service, world, { requestCount: 2_000, laneCount: 64 });
    const durationMs = Number(values.seconds) * 1_000;
    await drive({ ...row, durationMs: 2 * durationMs });
    const most = await drive({ ...row, durationMs });
    const ratePerSecond = most.requestsPerSecond / 2;
    await measureBatch(service);
    await readLag();
    const alone = await drive({ ...row, durationMs, ratePerSecond });
    const lagAlone = await readLag();
    const batch = await measureBatch(service);
    const busy = keepBusy(service);
    await readLag();
    const beside = await drive({ ...row, durationMs, ratePerSecond });
    const lagBeside = await readLag();
    const besideRate = await busy.stop();
    tell({ inProcess, most, alone, lagAlone, beside, lagBeside, batch, besideRate });
    for (const lane of row.lanes) lane.close();
  } finally {
    await service.stop();
    close();
  }
}

type Told = {
  inProcess: number;
  most: Measured;
  alone: Measured;
  lagAlone: LoopLag;
  beside: Measured;
  lagBeside: LoopLag;
  batch: { people: number; seconds: number; cpuSeconds: number };
  besideRate: number;
};

function tell({ inProcess, most, alone, lagAlone, beside, lagBeside, batch, besideRate }: Told): void {
  const rounded = (value: number) => Number(value.toPrecision(3));
  const perCpuSecond = batch.people / batch.cpuSeconds;
  const result = {
    people: batch.people,
    people_per_second: rounded(batch.people / batch.seconds),
    people_per_cpu_second: rounded(perCpuSecond),
    in_process_per_cpu_second: rounded(inProcess),
    to_in_process: rounded(perCpuSecond / inProcess),
    to_single_requests: rounded(batch.people / batch.seconds / most.requestsPerSecond),
    beside_people_per_second: rounded(besideRate),
    single_p50_ms: rounded(alone.p50Ms),
    single_p99_ms: rounded(alone.p99Ms),
    single_loop_p99_ms: rounded(lagAlone.p99Ms),
    beside_p50_ms: rounded(beside.p50Ms),
    beside_p99_ms: rounded(beside.p99Ms),
    beside_loop_p99_ms: rounded(lagBeside.p99Ms),
    beside_loop_most_ms: rounded(lagBeside.mostMs),
  };
  if (values.json) console.log(JSON.stringify(result));
  else console.table(result);
}

await main();
