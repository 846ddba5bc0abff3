/** Measured costs, from which docs/scaling.md is computed, each with the command that measures it. */

export const costs = {
  /**
   * Postgres' processor time of an event, in µs: `node test/bench/intake.ts` measures 401, 45 and 38 for groups of 1, 64
   * and 640, which are these costs of each event and each group.
   */
  postgresEvent: 38,
  postgresGroup: 363,
  /** The same for the other statements of an event over HTTP: 70 in total, in groups of 64. */
  postgresBeside: 25,
  /** Duration of a commit, in ms; events that arrive meanwhile are the next group. */
  commit: 4,
  /** A node's processor time of an event (`intake.ts`), and of its request (the echo of benchmark:speed), in µs. */
  nodeEvent: 32,
  nodePost: 41,
  /** Processor time of a list, in µs: making it (`node test/bench/lists.ts`), and the rest of its request (`benchmark:speed`). */
  makeList: 555,
  carryList: 650,
  /** Bytes of disk that an event takes, by table. */
  disk: { events: 513, deviceHours: 307, histories: 219, keys: 160, purchases: 81, ids: 68 },
  /** Bytes of Postgres' log of an event, in groups of 64 (`node test/bench/intake.ts`). */
  log: 1_118,
  /**
   * Bytes of a node's memory per item, catalogue and search index together: a process with a million generated items
   * of 500 bytes and no models held 1,673 MB when it was ready, 1,742 half a minute later (docs/benchmarks.md).
   */
  item: 1_500,
  /** A node with next to none, in MB (`benchmark:speed -- --only restart --items 300`). */
  node: 230,
  /** Analysing an item's texts, in µs (docs/benchmarks.md, a million generated items). */
  indexItem: 79,
  /** A training of a million events, and each further million: seconds of processor time and MB (docs/benchmarks.md). */
  training: { firstSeconds: 50, firstMegabytes: 1_050, moreSeconds: 10, moreMegabytes: 75 },
} as const;

/** Assumptions about a site. */
export const site = {
  eventsPerPost: 3,
  eventsPerList: 10,
  /** Ratio of the busiest hour to the mean of a day. */
  peak: 3,
  /** Used share of a processor in the busiest hour. */
  busy: 0.5,
  /** Days that events are kept. */
  keptDays: 30,
  /** A database server. */
  serverCores: 8,
  serverTerabytes: 8,
} as const;
