/** One service for all tests of a file: started while the file is loaded, stopped after its last test. */

import test from 'ava';
import { startTestService, type TestService } from '../../support/service.ts';
import { createTransports, type Transports } from './same-answer.ts';

export type TestedService = TestService & { transports: Transports };

/** @param deployment YAML; absent for that of the shop. */
export async function startTestedService(deployment?: string): Promise<TestedService> {
  const tidies: (() => unknown)[] = [];
  const t = { teardown: (tidy: () => unknown) => void tidies.push(tidy) };
  const service = await startTestService(t, deployment);
  const transports = createTransports(t, service);
  test.after.always('stop the service', async () => {
    for (const tidy of tidies.toReversed()) await tidy();
  });
  return { ...service, transports };
}
