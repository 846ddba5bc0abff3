/**
 * A queue that shares a worker fairly among callers: start-time fair queueing (Goyal, Vin and
 * Cheng, 1996).
 *
 * Each caller has its own flow. The next job is the one that would end first if all waiting flows
 * were served at equal speed. A caller with a thousand costly jobs therefore delays the single job
 * of another by no more than the job under way. Within a flow the cheapest job comes first, because
 * callers may share an address.
 */
import { partitionPoint } from './partition-point.ts';

export type FairJob = {
  /** Identifies the caller. */
  readonly flow: string;
  /** Expected work, above 0, in a unit common to all jobs of the queue. */
  readonly cost: number;
};

export type FairQueue<Job extends FairJob> = {
  readonly length: number;
  add(job: Job): void;
  /** Returns the next job without removing it. */
  head(): Job | undefined;
  /**
   * Removes and returns the next job.
   *
   * @param mayStart Tells whether a flow may get a job now [always].
   */
  next(mayStart?: (flow: string) => boolean): Job | undefined;
  /** Removes a waiting job, at no cost to its caller. */
  remove(job: Job): void;
};

/** `startsAt` is the virtual time of the flow's next job: the work that the flow has received. */
type Flow<Job> = { jobs: Job[]; startsAt: number };

export function createFairQueue<Job extends FairJob>(): FairQueue<Job> {
  const flows = new Map<string, Flow<Job>>();
  /** The work that each waiting flow would have received so far at equal speed. */
  let virtualTime = 0;
  let length = 0;

  /** Finds the next flow. Deletes flows without jobs that are not ahead of the others. */
  const first = (
    mayStart: (flow: string) => boolean = () => true,
  ): { flow: Flow<Job>; waitingCount: number } | undefined => {
    let best: Flow<Job> | undefined;
    let waitingCount = 0;
    for (const [name, flow] of flows) {
      if (flow.jobs.length === 0) {
        if (flow.startsAt <= virtualTime) flows.delete(name);
        continue;
      }
      waitingCount += 1;
      if (best !== undefined && endOf(flow) >= endOf(best)) continue;
      if (mayStart(name)) best = flow;
    }
    return best && { flow: best, waitingCount };
  };

  return {
    get length() {
      return length;
    },
    add(job) {
      const flow = flows.get(job.flow) ?? { jobs: [], startsAt: virtualTime };
      flows.set(job.flow, flow);
      if (flow.jobs.length === 0) flow.startsAt = Math.max(flow.startsAt, virtualTime);
      insertByCost(flow.jobs, job);
      length += 1;
    },
    head: () => first()?.flow.jobs[0],
    next(mayStart) {
      const found = first(mayStart);
      if (found === undefined) return undefined;
      const { flow, waitingCount } = found;
      const job = flow.jobs.shift()!;
      length -= 1;
      flow.startsAt += job.cost;
      virtualTime += job.cost / waitingCount;
      if (length === 0) flows.clear();
      return job;
    },
    remove(job) {
      const jobs = flows.get(job.flow)?.jobs ?? [];
      const place = jobs.indexOf(job);
      if (place < 0) return;
      jobs.splice(place, 1);
      length -= 1;
      if (length === 0) flows.clear();
    },
  };
}

function endOf({ startsAt, jobs }: Flow<FairJob>): number {
  return startsAt + jobs[0].cost;
}

/** Inserts a job behind those of equal cost. */
function insertByCost<Job extends FairJob>(jobs: Job[], job: Job): void {
  const place = partitionPoint(0, jobs.length, (at) => jobs[at].cost <= job.cost);
  jobs.splice(place, 0, job);
}
