/** One service for all tests of a file. */

import type { Deployment } from '../../../src/deployment/deployment.ts';
import { forAllTests } from '../../support/for-all-tests.ts';
import { startTestService, type TestService, type TestServiceOptions } from '../../support/service.ts';
import { createTransports, type Transports } from './same-answer.ts';

export type TestedService = TestService & {
  /** Client for the base URL. */
  origin: string;
  transports: Transports;
};

/** @param deployment YAML or a parsed deployment [the shop's]. */
export function testedService(deployment?: string | Deployment, options?: TestServiceOptions): TestedService {
  return forAllTests('the service', async (t) => {
    const service = await startTestService(t, deployment, options);
    const { origin } = new URL(service.baseUrl);
    return { ...service, origin, transports: createTransports(t, service) };
  });
}
