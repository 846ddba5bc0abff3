/** What a configuration says about its lists besides rules and preferences. */

export type ConfigurationSettings = {
  freshness?: { maximumAgeMs?: number; halfLifeMs?: number };
  fatigue?: { maximumImpressions: number; windowMs: number };
  /** `rate` 0 to 1; `periodMs` 0 for a new choice with every request. */
  rotation?: { rate: number; periodMs: number };
  allowDuplicates: boolean;
};
