/** Parsed configurations in the version that is in force. */

import type { SearchRules } from './search-rules.ts';
import type { ConfigurationSettings } from './settings.ts';
import type { Configuration } from './types.ts';

export type ActiveConfiguration = {
  version: number;
  rules: Configuration;
  settings: ConfigurationSettings;
  /** Absent for a configuration of lists only. */
  search?: SearchRules;
};

export const activeOf = (
  version: number,
  { rules, settings, search }: Omit<ActiveConfiguration, 'version'>,
): ActiveConfiguration => ({ version, rules, settings, search });

export type SearchConfiguration = ActiveConfiguration & { configurationId: string; search: SearchRules };

export type ActiveConfigurations = {
  /** Returns the version in force now; undefined if there is none for the environment. */
  find(configurationId: string, environment: string): ActiveConfiguration | undefined;
  /** Returns active configurations for searches, unordered; the same array until a change. */
  searching(): readonly SearchConfiguration[];
};
