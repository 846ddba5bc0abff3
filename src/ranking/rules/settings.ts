/** The settings of a configuration for its lists, besides rules and preferences. */

import type { Purpose } from '../../deployment/deployment.ts';

export type ConfigurationSettings = {
  freshness?: { maximumAgeMs?: number; halfLifeMs?: number };
  fatigue?: { maximumImpressions: number; windowMs: number };
  /** `rate` from 0 to 1; `periodMs` 0 for a new choice with each request. */
  rotation?: { rate: number; periodMs: number };
  /** 0: by relevance alone, 1: by the shares of interests alone [see usualCalibration]. */
  calibration?: { strength: number };
  allowDuplicates: boolean;
  /** Purpose of its lists, unless a list names one [the page type's]. */
  purpose?: Purpose;
};
