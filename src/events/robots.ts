/**
 * Recognises robots by user agent. Their events are stored but not used for training, and they get
 * no personal lists. The list of `isbot` includes HTTP libraries (curl, axios, okhttp). Here those
 * are back ends acting for their visitors, so an agent unlike a browser is a robot only if its name
 * says so.
 */

import { isbot } from 'isbot';
import { createCache } from '../ranking/runtime/cache.ts';

/** Cache for some 10,000 browsers in use at a time; a pattern match costs 10 µs. */
const mostBytes = 4 * 1024 * 1024;

/** Matched characters: robots name themselves early, and the header may have 16 kB. */
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
