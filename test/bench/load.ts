/**
 * Drives a server over a number of lanes, each with one pending request.
 *
 * Closed loop: a lane sends its next request after its answer; this finds the highest rate. Open loop: requests arrive at a fixed
 * rate, and wait if no lane is free; latency counts from the arrival, so queueing shows. Requests that still wait at the end
 * count with the time until then, one turn of the clock after the last arrival.
 */

export type Lane<Request> = {
  /** Calls back once, when the answer is complete, with the failure if there is one. */
  exchange(request: Request, done: (failure?: string) => void): void;
  close(): void;
};

export type Drive<Request> = {
  lanes: readonly Lane<Request>[];
  next: () => Request;
  durationMs: number;
  /** Arrivals per second of an open loop; undefined for a closed loop. */
  ratePerSecond?: number;
};

export type Measured = { requestsPerSecond: number; p50Ms: number; p99Ms: number };

/** Rejects at the first failure: a server that refuses has no speed. */
export async function drive<Request>(options: Drive<Request>): Promise<Measured> {
  const latencies: number[] = [];
  const startMs = performance.now();
  await (options.ratePerSecond === undefined ? driveClosed : driveOpen)(options, latencies);
  const seconds = (performance.now() - startMs) / 1000;
  const sorted = Float64Array.from(latencies).sort();
  return {
    requestsPerSecond: sorted.length / seconds,
    p50Ms: percentile(sorted, 0.5),
    p99Ms: percentile(sorted, 0.99),
  };
}

export type Latencies = Measured & {
  /** The p99 of the worst run. */
  worstP99Ms: number;
};

/** Odd, so that there is a middle one. */
const runCount = 5;

/**
 * Measures several runs and returns the one with the middle p99. Pauses of a shared machine show in the worst p99.
 */
export async function measureLatencies<Request>(options: Drive<Request>): Promise<Latencies> {
  const measured: Measured[] = [];
  for (let run = 0; run < runCount; run++) measured.push(await drive(options));
  measured.sort((one, other) => one.p99Ms - other.p99Ms);
  return { ...measured[(runCount - 1) / 2], worstP99Ms: measured.at(-1)!.p99Ms };
}

function driveClosed<Request>(
  { lanes, next, durationMs }: Drive<Request>,
  latencies: number[],
): Promise<void> {
  const endMs = performance.now() + durationMs;
  const run = (lane: Lane<Request>) =>
    new Promise<void>((resolve, reject) => {
      const send = () => {
        const sentMs = performance.now();
        lane.exchange(next(), (failure) => {
          const nowMs = performance.now();
          latencies.push(nowMs - sentMs);
          if (failure !== undefined) reject(new Error(failure));
          else if (nowMs < endMs) send();
          else resolve();
        });
      };
      send();
    });
  return Promise.all(lanes.map(run)).then(() => undefined);
}

function driveOpen<Request>(options: Drive<Request>, latencies: number[]): Promise<void> {
  const { lanes, next, durationMs, ratePerSecond = 0 } = options;
  const startMs = performance.now();
  const free = [...lanes];
  /** Arrival times of requests that wait for a lane. */
  const waiting: number[] = [];
  let arrivedCount = 0;
  let lastArrivalMs: number | undefined;
  return new Promise((resolve, reject) => {
    const send = (lane: Lane<Request>, arrivedMs: number) => {
      lane.exchange(next(), (failure) => {
        latencies.push(performance.now() - arrivedMs);
        if (failure !== undefined) stop(new Error(failure));
        const longest = waiting.shift();
        if (longest === undefined) free.push(lane);
        else send(lane, longest);
      });
    };
    const arrive = () => {
      const nowMs = performance.now();
      const due = (Math.min(nowMs - startMs, durationMs) / 1000) * ratePerSecond;
      for (; arrivedCount < due; arrivedCount++) {
        const lane = free.pop();
        if (lane === undefined) waiting.push(nowMs);
        else send(lane, nowMs);
      }
      if (nowMs - startMs < durationMs) return;
      lastArrivalMs ??= nowMs;
      if (nowMs === lastArrivalMs) return;
      for (const waitingSinceMs of waiting.splice(0)) latencies.push(nowMs - waitingSinceMs);
      if (free.length === lanes.length) stop();
    };
    const timer = setInterval(arrive, 1);
    const stop = (error?: Error) => {
      clearInterval(timer);
      if (error) reject(error);
      else resolve();
    };
  });
}

function percentile(sorted: Float64Array, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}
