import {
  type DescMessage,
  type DescMethodUnary,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
} from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import {
  callUnaryMethod,
  type UseQueryOptions,
  useInfiniteQuery,
  useQuery,
  useTransport,
} from '@connectrpc/connect-query';
import {
  type InfiniteData,
  type UseInfiniteQueryResult,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { BadRequestSchema } from '../../../gen/es/personalisation/rest/v1/status_pb.js';
import { useConsole } from '../service/console-context.ts';
import type { ProblemError } from '../service/transport.ts';

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

/** Returns requests for the environment of the page, unless they name another. */
function useHere() {
  const { name } = useConsole().environment;
  return <Input extends DescMessage>({ input }: { input: Input }, request: object = {}) =>
    ('environment' in input.field ? { environment: name, ...request } : request) as MessageInitShape<Input>;
}

/** Reads from the environment of the page. */
export function useRead<Input extends DescMessage, Output extends DescMessage, Data = MessageShape<Output>>(
  method: DescMethodUnary<Input, Output>,
  request?: MessageInitShape<Input>,
  options?: UseQueryOptions<Output, Data>,
) {
  return useQuery(method, useHere()(method, request), options);
}

type CallOptions<Answer> = {
  onSuccess?(answer: Answer): unknown;
  onSettled?(answer: Answer | undefined, error: Error | null): unknown;
};

/** Mutation that calls a method for the environment of the page. */
export function useCall<Input extends DescMessage, Output extends DescMessage>(
  method: DescMethodUnary<Input, Output>,
  options: CallOptions<MessageShape<Output>> = {},
) {
  const transport = useTransport();
  const here = useHere();
  return useMutation<MessageShape<Output>, ConnectError, MessageInitShape<Input>>({
    mutationFn: (request) => callUnaryMethod(transport, method, here(method, request)),
    ...options,
  });
}

/** Call after which the page reads its data again. @param onSuccess Called before it does. */
export const useChange = <Input extends DescMessage, Output extends DescMessage>(
  method: DescMethodUnary<Input, Output>,
  onSuccess?: (answer: MessageShape<Output>) => unknown,
) => useCall(method, { onSuccess, ...useRefresh() });

/** Options of infinite queries. */
export const byPageToken = {
  pageParamKey: 'pageToken' as const,
  getNextPageParam: ({ nextPageToken }: { nextPageToken: string }) => nextPageToken || undefined,
};

type PagesOptions<Row> = {
  enabled?: boolean;
  /** Milliseconds until the rows are read again; false for never. */
  refreshMs?(rows: readonly Row[]): number | false;
};

/** Reads a list page by page. @param rowsOf The rows of a page. */
export function usePages<Input extends DescMessage, Output extends DescMessage, Row>(
  method: DescMethodUnary<Input, Output>,
  request: MessageInitShape<Input>,
  rowsOf: (page: MessageShape<Output>) => Row[],
  { enabled, refreshMs }: PagesOptions<Row> = {},
) {
  type Data = InfiniteData<MessageShape<Output>>;
  const allOf = (data: Data | undefined) => data?.pages.flatMap(rowsOf);
  const refetchInterval =
    refreshMs && (({ state }: { state: { data?: Data } }) => refreshMs(allOf(state.data) ?? []));
  /** The types of the library need the concrete message to know its page token. */
  const pages: UseInfiniteQueryResult<Data, ConnectError> = useInfiniteQuery(
    method as never,
    { ...useHere()(method, request), pageToken: '' } as never,
    { ...byPageToken, enabled, refetchInterval } as never,
  );
  /** Undefined until loaded. */
  return { ...pages, rows: allOf(pages.data) };
}

export const isNotFound = (error: unknown): boolean =>
  Boolean(error) && ConnectError.from(error).code === Code.NotFound;

export type Violation = { pointer: string; detail: string };

/** Lists the faults of a refused request by field; empty when the error has only a message. */
export function violationsOf(error: unknown): Violation[] {
  /** `instanceof` would match any ConnectError: its class defines Symbol.hasInstance. */
  if (typeof error === 'object' && error !== null && 'violations' in error)
    return (error as ProblemError).violations;
  const details = ConnectError.from(error).details as { type?: string; value?: Uint8Array }[];
  const found = details.find(({ type }) => type === 'google.rpc.BadRequest');
  if (!found?.value) return [];
  const { fieldViolations } = fromBinary(BadRequestSchema, found.value);
  return fieldViolations.map(({ pointer, description }) => ({ pointer, detail: description }));
}
