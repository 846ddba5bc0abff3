import { useQueryClient } from '@tanstack/react-query';

/**
 * For mutations: what the page shows is asked for again. A write that was made is done when the page shows it; one that failed
 * is told at once, however long that takes.
 */
export function useRefresh(): { onSettled(answer: unknown, error: Error | null): Promise<void> | undefined } {
  const queryClient = useQueryClient();
  return {
    onSettled(_answer, error) {
      const shown = queryClient.invalidateQueries();
      return error ? undefined : shown;
    },
  };
}
