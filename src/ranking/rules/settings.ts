/** The settings of a configuration for its lists, besides rules and preferences. */

import type { Purpose } from '../../deployment/deployment.ts';
import type { NamedItem } from './search-rules.ts';

export type ConfigurationSettings = {
  freshness?: { maximumAgeMs?: number; halfLifeMs?: number };
  fatigue?: { maximumImpressions: number; windowMs: number };
  /** `rate` from 0 to 1; `periodMs` 0 for a new choice with each request. */
  rotation?: { rate: number; periodMs: number };
  /** 0: by relevance alone, 1: by the shares of interests alone [see usualCalibration]. */
  calibration?: { strength: number };
  /** Lists in which some positions are drawn at random [none]. */
  exploration?: ExplorationSettings;
  /** Leaves out items whose stock cannot serve more impressions today [none]. */
  stockBudget?: StockBudget;
  allowDuplicates: boolean;
  /** Items at fixed ranks of its lists; ranks are distinct and start at 1. */
  pins: readonly (NamedItem & { rank: number })[];
  /** Items that its lists leave out. */
  hides: readonly NamedItem[];
  /** Purpose of its lists, unless a list names one [the page type's]. */
  purpose?: Purpose;
};

/** `property` holds the units in stock; `impressionsPerUnit` is above 0. */
export type StockBudget = { property: string; impressionsPerUnit: number };

export type ExplorationSettings = {
  /** Share of lists, above 0 and at most 1. */
  share: number;
  /** Distinct ranks from 1, ascending. */
  slots: readonly number[];
  /** Candidates of the slots, 2 to 100. */
  of: number;
  /** Above 0; share of the highest score. */
  temperature: number;
  /** Draws new items of at most this age uniformly [the best by score]. */
  itemAgeMs?: number;
  /** Impressions of a new item in a day after which it is no longer explored. */
  dailyImpressions: number;
};
