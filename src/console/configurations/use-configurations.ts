import { callUnaryMethod, createConnectQueryKey, useTransport } from '@connectrpc/connect-query';
import { useQueries } from '@tanstack/react-query';
import type { Configuration } from '../../../gen/es/personalisation/v1/configuration_pb.js';
import { ConfigurationService } from '../../../gen/es/personalisation/v1/configuration_service_pb.js';

/** Configurations by their ids; undefined until it is read. */
export function useConfigurations(ids: string[]): (Configuration | undefined)[] {
  const transport = useTransport();
  const method = ConfigurationService.method.getConfiguration;
  const results = useQueries({
    queries: ids.map((configurationId) => ({
      queryKey: createConnectQueryKey({
        schema: method,
        input: { configurationId },
        transport,
        cardinality: 'finite' as const,
      }),
      queryFn: () => callUnaryMethod(transport, method, { configurationId }),
    })),
  });
  return results.map(({ data }) => data?.configuration);
}
