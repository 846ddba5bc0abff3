/** Jobs that one of all nodes does at a time, such as experiments, alerts and daily counts. */

import { parseInterest } from '../handlers/webhooks/interests.ts';
import { createPlacementWatch } from '../jobs/alerts/watch-placements.ts';
import type { Audiences } from '../jobs/audiences/audiences.ts';
import { createRollouts } from '../jobs/experiments/rollouts.ts';
import { createInterests } from '../jobs/interests/interests.ts';
import type { Node } from './node.ts';
import type { Replicas } from './replicas.ts';
import type { Background } from './serving.ts';

type JobParts = {
  nodeName: string;
  completeCounts: () => Promise<void>;
  audiences: Audiences;
  guarantees: Background;
  dayCounting: Background;
};

export function createPeriodicJobs(node: Node, replicas: Replicas, parts: JobParts): Background[] {
  const { db, served, clock, logger } = node;
  const { nodeName, completeCounts, audiences, guarantees, dayCounting } = parts;
  const counted = { db, environments: [...served.keys()], completeCounts, clock, logger };
  return [
    createInterests({
      ...{ db, node: nodeName, environments: replicas.environments, parse: parseInterest },
      ...{ refreshItems: replicas.items.refresh, audiences, clock, logger },
    }),
    createRollouts(counted),
    createPlacementWatch(counted),
    guarantees,
    dayCounting,
  ];
}
