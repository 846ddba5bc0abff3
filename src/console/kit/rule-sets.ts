/** Rule sets of the service, as lists and fields show them. */

import { createClient } from '@connectrpc/connect';
import { useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import {
  ConfigurationService,
  type ConfigurationSummary,
} from '../../../gen/es/personalisation/v1/configuration_service_pb.js';
import { useConsole } from '../service/console-context.ts';

const mostPages = 20;

/** @param environments Of a rule set; empty for all. */
const appliesTo = (environments: readonly string[], name: string): boolean =>
  environments.length === 0 || environments.includes(name);

/** Reads the summaries of the environment's rule sets, at most 20,000. @param staleTime Milliseconds. */
export function useRuleSets({ enabled, staleTime }: { enabled?: boolean; staleTime?: number } = {}) {
  const { connection, environment } = useConsole();
  const { transport } = connection;
  const { name } = environment;
  return useQuery({
    queryKey: ['rule sets'],
    enabled,
    staleTime,
    select: useCallback(
      (all: ConfigurationSummary[]) => all.filter(({ environments }) => appliesTo(environments, name)),
      [name],
    ),
    async queryFn() {
      const { listConfigurations } = createClient(ConfigurationService, transport);
      const all: ConfigurationSummary[] = [];
      let pageToken = '';
      for (let page = 0; page < mostPages; page += 1) {
        const answer = await listConfigurations({ withSummaries: true, pageToken });
        all.push(...answer.summaries);
        pageToken = answer.nextPageToken;
        if (!pageToken) break;
      }
      return all;
    },
  });
}
