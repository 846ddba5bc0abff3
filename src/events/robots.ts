/**
 * Which user agents are robots: their events are kept but train nothing, and they get no personal lists.
 *
 * The registry's list counts HTTP libraries (curl, axios, okhttp) as robots, too. Here those are back ends that speak for
 * their visitors; so an agent that does not pose as a browser is a robot only if it says so itself.
 */

import { isbot } from 'isbot';
import { createCache } from '../ranking/runtime/cache.ts';

/** Of some 10,000 browsers in use at any time; a pattern match costs 10 µs, so each is judged once. */
const mostBytes = 4 * 1024 * 1024;

/** Robots say so early. The header may have 16 kB, and every character costs time. */
const judgedLength = 512;

const saysSo = /bot\b|bot[/_-]|crawl|spider|slurp|externalhit|lighthouse/i;

function isRobotAgent(userAgent: string): boolean {
  return isbot(userAgent) && (userAgent.startsWith('Mozilla/') || saysSo.test(userAgent));
}

export function createRobotCheck(): (userAgent: string | undefined) => boolean {
  const judged = createCache<boolean>({ maxBytes: mostBytes });
  return (sent) => {
    if (!sent) return false;
    const userAgent = sent.slice(0, judgedLength);
    let isRobot = judged.get(userAgent);
    if (isRobot === undefined) {
      isRobot = isRobotAgent(userAgent);
      judged.set(userAgent, isRobot);
    }
    return isRobot;
  };
}
