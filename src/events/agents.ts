/**
 * Classifies callers by user agent. `isbot` knows crawlers and HTTP libraries (curl, axios, okhttp).
 * Here libraries are back ends acting for their visitors, so an agent unlike a browser is a robot
 * only if its name says so.
 *
 * Robots get no personal lists, and their events are stored but neither counted nor learned from.
 * An environment may take automated browsers or assistants as visitors (`visitor_agents`).
 */

import { isbot } from 'isbot';
import type { EnvironmentSettings } from '../deployment/deployment.ts';
import { createCache } from '../ranking/runtime/cache.ts';
import { getOrAdd } from '../ranking/runtime/get-or-add.ts';

/** `automation`: a browser steered by a program; `assistant`: fetches a page for a person who asked it. */
export type AgentClass = 'crawler' | 'automation' | 'assistant';

export type JudgedAgent = { agent: AgentClass | undefined; isRobot: boolean };

/** Calls of visitors and of each class in this hour and the one before, as this node saw them. */
export type AgentCounts = Record<AgentClass | 'visitor', number>;

export type Agents = {
  judge(settings: Pick<EnvironmentSettings, 'name' | 'visitorAgents'>, userAgent?: string): JudgedAgent;
  countsOf(environment: string): AgentCounts;
};

/** Cache for some 10,000 browsers in use at a time; a pattern match costs 10 µs. */
const mostBytes = 4 * 1024 * 1024;

/** Matched characters: robots name themselves early, and the header may have 16 kB. */
const judgedLength = 512;

const hourMs = 3_600_000;

const namesItself = /bot\b|bot[/_-]|crawl|spider|slurp|externalhit|lighthouse/i;

/** Chrome, PhantomJS and the test runners name themselves; Playwright and Puppeteer run Chrome. */
const automation =
  /Headless(?:Chrome|Edg)|Cypress\/|PhantomJS|SlimerJS|Playwright|Puppeteer|Selenium|WebDriver/i;

/**
 * Names that vendors document for fetches that a person started. Most are `NAME-User`. Crawlers for
 * training and search indexes of the same vendors (GPTBot, ClaudeBot, PerplexityBot) are not here.
 */
const assistants =
  /\b(?:(?:ChatGPT|Claude|Perplexity|MistralAI|Cohere|Amzn|Kagi|DuckAssist|Phind|You)-?User|DuckAssistBot|Gemini-Deep-Research|Google-NotebookLM|Google-Agent|GoogleAgent-\w+|NovaAct|meta-externalfetcher|LinerBot|Devin|Manus-User)\b/i;

export function classifyAgent(userAgent: string): AgentClass | undefined {
  if (assistants.test(userAgent)) return 'assistant';
  if (automation.test(userAgent)) return 'automation';
  const isRobot = isbot(userAgent) && (userAgent.startsWith('Mozilla/') || namesItself.test(userAgent));
  return isRobot ? 'crawler' : undefined;
}

/** @param clock Unix milliseconds. */
export function createAgents(clock: () => number): Agents {
  const judged = createCache<AgentClass | 'visitor'>({ maxBytes: mostBytes });
  const recentOf = new Map<string, { hour: number; current: AgentCounts; before: AgentCounts }>();

  const recent = (environment: string) => {
    const hour = Math.floor(clock() / hourMs);
    const known = recentOf.get(environment);
    if (known?.hour === hour) return known;
    const before = known?.hour === hour - 1 ? known.current : none();
    const next = { hour, current: none(), before };
    recentOf.set(environment, next);
    return next;
  };

  return {
    judge({ name, visitorAgents }, sent = '') {
      const userAgent = sent.slice(0, judgedLength);
      const kind = getOrAdd(judged, userAgent, () => classifyAgent(userAgent) ?? 'visitor');
      recent(name).current[kind] += 1;
      if (kind === 'visitor') return { agent: undefined, isRobot: false };
      return { agent: kind, isRobot: !visitorAgents.has(kind) };
    },
    countsOf(environment) {
      const { current, before } = recent(environment);
      const kinds = Object.keys(current) as (keyof AgentCounts)[];
      return Object.fromEntries(kinds.map((kind) => [kind, current[kind] + before[kind]])) as AgentCounts;
    },
  };
}

const none = (): AgentCounts => ({ visitor: 0, crawler: 0, automation: 0, assistant: 0 });
