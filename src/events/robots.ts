/**
 * Which user agents are robots: their events are kept but train nothing, and they get no personal lists.
 *
 * The registry's list counts HTTP libraries (curl, axios, okhttp) as robots, too. Here those are back ends that speak for
 * their visitors; so an agent that does not pose as a browser is a robot only if it says so itself.
 */

import { isbot } from 'isbot';
import { createRecentlyUsed } from '../recently-used.ts';

/** Browsers in use at any time; a pattern match costs 10 µs, so each is judged once. */
const rememberedAgents = 10_000;

const saysSo = /bot\b|bot[/_-]|crawl|spider|slurp|externalhit|lighthouse/i;

function isRobotAgent(userAgent: string): boolean {
  return isbot(userAgent) && (userAgent.startsWith('Mozilla/') || saysSo.test(userAgent));
}

export function createRobotCheck(): (userAgent: string | undefined) => boolean {
  const judged = createRecentlyUsed<boolean>(rememberedAgents);
  return (userAgent) => {
    if (!userAgent) return false;
    let isRobot = judged.get(userAgent);
    if (isRobot === undefined) {
      isRobot = isRobotAgent(userAgent);
      judged.set(userAgent, isRobot);
    }
    return isRobot;
  };
}
