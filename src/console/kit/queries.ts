import { Code, ConnectError } from '@connectrpc/connect';
import { useQueryClient } from '@tanstack/react-query';

/**
 * Options of mutations that read the page's data again. A successful write stays pending until the page shows it; a failure
 * is reported at once.
 */
export function useRefresh(): { onSettled(answer: unknown, error: Error | null): Promise<void> | undefined } {
  const queryClient = useQueryClient();
  return {
    onSettled(_answer, error) {
      const refreshed = queryClient.invalidateQueries();
      return error ? undefined : refreshed;
    },
  };
}

/** Options of infinite queries. */
export const byPageToken = {
  pageParamKey: 'pageToken' as const,
  getNextPageParam: ({ nextPageToken }: { nextPageToken: string }) => nextPageToken || undefined,
};

export const isNotFound = (error: unknown): boolean =>
  Boolean(error) && ConnectError.from(error).code === Code.NotFound;
