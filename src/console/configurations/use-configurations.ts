import { callUnaryMethod, createConnectQueryKey, useTransport } from '@connectrpc/connect-query';
import { useQueries } from '@tanstack/react-query';
import type { Configuration } from '../../../gen/es/personalisation/v1/configuration_pb.js';
import { ConfigurationService } from '../../../gen/es/personalisation/v1/configuration_service_pb.js';

export type ReadConfigurations = {
  /** In the order of the ids; undefined until it is read. */
  configurations: (Configuration | undefined)[];
  /** First failure. */
  error: Error | null;
  refetch(): void;
};

/** Reads rule sets by their IDs. */
export function useConfigurations(ids: string[]): ReadConfigurations {
  const transport = useTransport();
  const schema = ConfigurationService.method.getConfiguration;
  const results = useQueries({
    queries: ids.map((configurationId) => ({
      queryKey: createConnectQueryKey({
        schema,
        input: { configurationId },
        transport,
        cardinality: 'finite',
      }),
      queryFn: () => callUnaryMethod(transport, schema, { configurationId }),
    })),
  });
  const failed = results.filter(({ error }) => error);
  return {
    configurations: results.map(({ data }) => data?.configuration),
    error: failed[0]?.error ?? null,
    refetch: () => void Promise.all(failed.map((one) => one.refetch())),
  };
}
