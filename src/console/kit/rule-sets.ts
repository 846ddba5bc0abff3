/** Rule sets of the service, as lists and fields show them. */

import { createClient } from '@connectrpc/connect';
import { useQuery } from '@tanstack/react-query';
import {
  ConfigurationService,
  type ConfigurationSummary,
} from '../../../gen/es/personalisation/v1/configuration_service_pb.js';
import { useConsole } from '../service/console-context.ts';

const mostPages = 20;

/** Reads the summaries of all rule sets, at most 20,000. @param staleTime Milliseconds. */
export function useRuleSets({ enabled, staleTime }: { enabled?: boolean; staleTime?: number } = {}) {
  const { transport } = useConsole().connection;
  return useQuery({
    queryKey: ['rule sets'],
    enabled,
    staleTime,
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
