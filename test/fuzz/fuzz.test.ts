/** A small part of `npm run fuzz`, on the same requests each time; `FUZZ_SEED=7` looks at others. */

import test from 'ava';
import { startTestService } from '../support/service.ts';
import { describeFault, fuzzService } from './fuzz-service.ts';

const requests = 1_000;
const seed = Number(process.env.FUZZ_SEED ?? 1);

test('generated requests over all transports get documented answers, and no fault', async (t) => {
  const service = await startTestService(t);
  const report = await fuzzService({ service, requests, seed });
  t.deepEqual(report.faults.map(describeFault), []);
  t.is(report.requests, requests);
  t.true(report.turnedAway <= 0.01 * requests, `${report.turnedAway} were turned away`);
  for (const kind of ['http 2xx', 'http 4xx', 'connect 2xx', 'connect 4xx', 'grpc 2xx', 'grpc-web 2xx'])
    t.true((report.answers.get(kind) ?? 0) > 10, `${kind} is rare`);
});
