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

export type SearchConfiguration = ActiveConfiguration & { configurationId: string; search: SearchRules };

export type ActiveConfigurations = {
  /** Returns the version in force now; undefined when there is none or the configuration is deleted. */
  find(configurationId: string): ActiveConfiguration | undefined;
  /** Returns the configurations in force now that steer searches, unordered; the same array until one of them changes. */
  searching(): readonly SearchConfiguration[];
};
