/** Compares the deployment file with the stored data while a node serves, and logs what does not fit. */

import { demoEnvironment } from '../deployment/demo/deployment.ts';
import { parseStored } from '../handlers/grammar/parse-stored.ts';
import {
  type DeploymentFit as Fit,
  type FitProblem,
  findFitProblems,
} from '../jobs/diagnostics/deployment-fit.ts';
import { createPeriodic, type Periodic } from '../ranking/runtime/periodic.ts';
import type { Node } from './node.ts';

/** A comparison reads all items, so it takes at most a hundredth of the time. */
const leastPauseMs = 600_000;
const restFactor = 100;
const timeoutMs = 5_000;

const mostLogged = 20;

export type DeploymentFit = Periodic & {
  /** Sentences of the latest comparison; empty before the first. */
  latest(): readonly string[];
};

export function findProblemsOf({ db, deployment }: Pick<Node, 'db' | 'deployment'>) {
  /** The demo's items stay when another deployment follows it. */
  const isExpected = ({ environment }: FitProblem) =>
    environment === demoEnvironment && !deployment.environments.has(demoEnvironment);
  return async (limitMs: number): Promise<Fit> => {
    const fit = await findFitProblems({ db, deployment, parse: parseStored }, limitMs);
    return { ...fit, problems: fit.problems.filter((problem) => !isExpected(problem)) };
  };
}

export function createDeploymentFit(node: Node): DeploymentFit {
  const { logger } = node;
  const findProblems = findProblemsOf(node);
  let latest: readonly string[] = [];
  const periodic = createPeriodic({
    async work() {
      const { problems, isComplete } = await findProblems(timeoutMs);
      if (!isComplete)
        logger.info('The items could not be compared with the deployment file in time; use serve --check.');
      const sentences = problems.map(({ description }) => description);
      const added = sentences.filter((sentence) => !latest.includes(sentence));
      for (const sentence of added.slice(0, mostLogged)) logger.warn(sentence);
      if (added.length > mostLogged)
        logger.warn({ others: added.length - mostLogged }, 'The deployment file has further problems.');
      latest = sentences;
    },
    pauseMs: (tookMs) => Math.max(leastPauseMs, tookMs * restFactor),
    firstPauseMs: 0,
    complaint: 'The deployment file could not be compared with the stored data; trying again.',
    logger,
  });
  return { ...periodic, latest: () => latest };
}
