/**
 * `npm run fuzz -- --requests 1000000 --seed 7`: sends generated requests to its own service over all four transports,
 * and reports faults: internal errors, answers that the OpenAPI document does not describe, slow answers, and growing memory.
 *
 * `--attack 100` also sends hostile requests over so many connections, and checks the lists of visitors of another environment.
 */

import { parseArgs } from 'node:util';
import { runAttacker } from '../chaos/attack/attack.ts';
import { hostileKinds } from '../chaos/attack/hostile-requests.ts';
import { fillSite, siteDeployment } from '../chaos/attack/site.ts';
import { startVisitors } from '../chaos/attack/visitors.ts';
import { residentKilobytes } from '../support/resident-memory.ts';
import { startServedProcess } from '../support/served-process.ts';
import { shopDeployment } from '../support/service.ts';
import { describeFault, fuzzService } from './fuzz-service.ts';

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    /** Connections. */
    attack: { type: 'string', default: '0' },
  },
});
const requests = Number(values.requests);
const seed = Number(values.seed);

const slowestAllowedMs = 2_000;
/** Diagnoses read up to half a million events and may take 24 s; deletions wait for all nodes. */
const slowByNature = /GetDiagnosis|DeleteUser|DeleteDevice/;

/** Requests until caches are filled and code is compiled; at most the first half. */
const warmUpRequests = Math.min(requests / 2, Math.max(150_000, 0.3 * requests));
/** Shows a leak of 0.1 kB per request after 10⁶; smaller growth is due to the allocator. */
const kilobytesPerRequest = 0.1;
const allowedKilobytes = 64_000;

/** Forces garbage collection before the end; a leak ends the service. */
const nodeOptions = ['--max-old-space-size=320'];

/** The answer to a refused client has no data. */
const mostTurnedAway = 0.01 * requests;

const environment = 'visited';
const attackConnections = Number(values.attack);
const attackItems = 2_000;
/** Sends the requests in rounds. */
const attackSeconds = 5;

const service = await startServedProcess({
  deployment: shopDeployment + (attackConnections > 0 ? siteDeployment(environment) : ''),
  nodeOptions,
});

/** Attacks until it is stopped, then returns the faults of the visitors' lists. */
async function startAttack() {
  if (attackConnections === 0) return async () => [];
  const { baseUrl } = service;
  const lane = startVisitors(await fillSite(service, environment, attackItems));
  const settings = { baseUrl, environment, address: '127.0.0.2', kinds: hostileKinds };
  let isOver = false;
  const attack = async () => {
    for (let round = 0; !isOver; round++)
      await runAttacker({
        ...settings,
        connections: attackConnections,
        seconds: attackSeconds,
        seed: seed + round,
      });
  };
  const attacking = attack();
  return async () => {
    isOver = true;
    await attacking;
    await lane.stop();
    console.log(`${lane.times.length} lists of visitors during the attack, ${lane.faults.length} faults.`);
    return lane.faults;
  };
}

let isFailed = false;
try {
  const endAttack = await startAttack();
  const startMs = performance.now();
  let warmKilobytes = 0;
  const report = await fuzzService({
    service,
    requests,
    seed,
    onAnswer(done) {
      if (done === Math.floor(warmUpRequests)) warmKilobytes = residentKilobytes(service.pid);
      if (done % 20_000 === 0) console.log(`${done} answers, ${residentKilobytes(service.pid)} kB`);
    },
  });
  const visitorFaults = await endAttack();
  const seconds = (performance.now() - startMs) / 1_000;
  if (service.ended !== null) throw new Error(`The service has ended: ${service.ended}.`);
  const kilobytes = residentKilobytes(service.pid);
  const slow = report.slowest.filter(
    ({ ms, request }) => ms > slowestAllowedMs && !slowByNature.test(request.operation),
  );
  const allowedGrowth = Math.max(allowedKilobytes, (requests - warmUpRequests) * kilobytesPerRequest);
  isFailed =
    report.faults.length > 0 ||
    visitorFaults.length > 0 ||
    slow.length > 0 ||
    kilobytes - warmKilobytes > allowedGrowth ||
    report.turnedAway > mostTurnedAway;
  for (const fault of visitorFaults) console.log(fault);
  for (const fault of report.faults) console.log(describeFault(fault));
  console.log(Object.fromEntries([...report.answers].sort()));
  console.log(
    `Slowest: ${report.slowest.map(({ ms, request }) => `${ms.toFixed(0)} ms ${request.transport} ${request.operation}`).join(', ')}`,
  );
  console.log(`Memory: ${warmKilobytes} kB after ${warmUpRequests} requests, ${kilobytes} kB at the end.`);
  console.log(
    `${report.requests} requests in ${seconds.toFixed(0)} s, seed ${seed}: ${report.faults.length} faults, ${slow.length} beyond 2 s, ${report.turnedAway} turned away.`,
  );
} finally {
  await service.remove();
}
process.exitCode = isFailed ? 1 : 0;
