/** The client: lists, searches and events of one environment, and every other service of the contract. */

import { create, type DescService, type MessageInitShape } from '@bufbuild/protobuf';
import { type CallOptions, type Client, createClient, type Transport } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-web';
import { EventService } from '../../../gen/es/personalisation/v1/event_service_pb.js';
import {
  type RecommendationRequest,
  RecommendationRequestSchema,
  type Recommendations,
  type RecommendedItem,
} from '../../../gen/es/personalisation/v1/recommendation_pb.js';
import { RecommendationService } from '../../../gen/es/personalisation/v1/recommendation_service_pb.js';
import type {
  CompletionRequestSchema,
  Completions,
  SearchItem,
  SearchRequestSchema,
  SearchResults,
} from '../../../gen/es/personalisation/v1/search_pb.js';
import { SearchService } from '../../../gen/es/personalisation/v1/search_service_pb.js';
import { TokenService } from '../../../gen/es/personalisation/v1/token_service_pb.js';
import { createAccessTokens, type Token } from './access-token.ts';
import { createAuthorizeInterceptor } from './authorize.ts';
import { createEventQueue, type EventQueue, type EventQueueOptions } from './events.ts';
import { type FallbackItem, fallbackLists, fallbackResults, type Outcome, orFallback } from './fallback.ts';
import { type PagingOptions, paged } from './paging.ts';
import { createRetryInterceptor } from './retry.ts';
import { createServiceClient } from './services.ts';

export type PersonalisationOptions = {
  /** Address of the service, without the prefix of its JSON paths, e.g. `https://personal.example`. */
  baseUrl: string;
  /** The environment of lists, searches and events. */
  environment: string;
  /** Credentials of a client, for access tokens. Without them only public operations can be called. */
  credentials?: { clientId: string; clientSecret: string };
  /** Timeout of lists, searches and completions in milliseconds [1,000]. */
  timeoutMs?: number;
  /** Timeout of all other calls in milliseconds [10,000]. */
  writeTimeoutMs?: number;
  /** Maximum retries of an idempotent call [2]. */
  maxRetries?: number;
  /** Options for sending events. */
  events?: EventQueueOptions;
  /** Replaces the runtime's `fetch`. */
  fetch?: typeof globalThis.fetch;
};

/** Options of one call. */
export type RequestOptions = Pick<CallOptions, 'timeoutMs' | 'signal' | 'headers'>;

type Init<Schema extends Parameters<typeof create>[0]> = Omit<MessageInitShape<Schema>, '$typeName'>;

export type RecommendOptions = RequestOptions & {
  /** Items to show when the service does not answer in time, by name of the list. */
  fallback?: Record<string, readonly FallbackItem[]>;
};
export type SearchOptions = RequestOptions & {
  /** Items to show when the service does not answer in time. */
  fallback?: readonly FallbackItem[];
};

export type Personalisation = Pick<EventQueue, 'track' | 'flush' | 'close'> & {
  recommend(
    request: Init<typeof RecommendationRequestSchema>,
    options?: RecommendOptions,
  ): Promise<Recommendations & Outcome>;
  search(
    request: Init<typeof SearchRequestSchema>,
    options?: SearchOptions,
  ): Promise<SearchResults & Outcome>;
  complete(request: Init<typeof CompletionRequestSchema>, options?: RequestOptions): Promise<Completions>;
  /**
   * Ends the link of the device to its user, after the events tracked before: the next visitor of the
   * device sees nothing of the user. Give the device a new ID, too. Resolves and rejects as `flush`;
   * rejects as `track` for an event that cannot be sent.
   */
  signOut(deviceId: string): Promise<void>;
  /** Yields all items of a stored list, page by page. */
  listItems(listKey: string, options?: RequestOptions & PagingOptions): AsyncIterable<RecommendedItem>;
  /** Yields all results of a stored search, page by page. */
  searchItems(listKey: string, options?: RequestOptions & PagingOptions): AsyncIterable<SearchItem>;
  /** Returns a client of any service of the contract, with the same tokens, timeouts and retries. */
  service<Service extends DescService>(service: Service): Client<Service>;
};

/** The service's share of a call's timeout; the rest is for the network. */
const serviceShare = 0.8;
const longestServiceTimeMs = 60_000;

export function createPersonalisation(options: PersonalisationOptions): Personalisation {
  const { environment, timeoutMs = 1_000 } = options;
  const transport = createTransport(options);
  const service = <Service extends DescService>(described: Service) =>
    createServiceClient(described, transport);
  const recommendations = service(RecommendationService);
  const searches = service(SearchService);
  const events = service(EventService);
  const queue = createEventQueue(
    (batch) => events.createEvents({ environment, batch: { events: batch }, partial: true }),
    options.events,
  );
  const callOptionsOf = ({ timeoutMs: ownMs = timeoutMs, signal, headers }: RequestOptions = {}) => ({
    timeoutMs: ownMs,
    signal,
    headers,
  });

  async function askForLists(request: RecommendationRequest, callOptions: ReturnType<typeof callOptionsOf>) {
    const answer = await recommendations.createRecommendations({ environment, request }, callOptions);
    return answer.recommendations!;
  }

  return {
    ...queue,
    service,
    async recommend(init, { fallback, ...callOptions } = {}) {
      const call = callOptionsOf(callOptions);
      const request = create(RecommendationRequestSchema, {
        timeoutMs: serviceTime(call.timeoutMs),
        ...init,
      });
      const answering = askForLists(request, call);
      return orFallback(answering, fallback && (() => fallbackLists(request, fallback)));
    },
    async search(request, { fallback, ...callOptions } = {}) {
      const answering = searches.createSearch({ environment, request }, callOptionsOf(callOptions));
      const results = answering.then((answer) => answer.results!);
      return orFallback(results, fallback && (() => fallbackResults(fallback)));
    },
    async signOut(deviceId) {
      await queue.track({ eventType: 'user_interaction', interactionType: 'sign_out', deviceId });
      return queue.flush();
    },
    async complete(request, callOptions) {
      const answer = await searches.createCompletions({ environment, request }, callOptionsOf(callOptions));
      return answer.completion!;
    },
    listItems: (listKey, { from, pageSize, ...callOptions } = {}) =>
      paged(
        async (offset, limit) => {
          const request = { environment, listKey, offset, limit };
          const page = await recommendations.getRecommendationList(request, callOptionsOf(callOptions));
          return page.recommendations!.lists[0];
        },
        { from, pageSize },
      ),
    searchItems: (listKey, { from, pageSize, ...callOptions } = {}) =>
      paged(
        async (offset, limit) => {
          const request = { environment, listKey, offset, limit };
          return (await searches.getSearchList(request, callOptionsOf(callOptions))).results!.lists[0];
        },
        { from, pageSize },
      ),
  };
}

function serviceTime(timeoutMs: number): number {
  return Math.max(1, Math.min(longestServiceTimeMs, Math.floor(timeoutMs * serviceShare)));
}

/** Retries wrap authorisation, so that a failed token request is retried too. */
function createTransport(options: PersonalisationOptions): Transport {
  const { baseUrl, credentials, writeTimeoutMs = 10_000, maxRetries = 2 } = options;
  const connection = {
    baseUrl,
    useBinaryFormat: true,
    defaultTimeoutMs: writeTimeoutMs,
    /** A plain function: some runtimes reject a `fetch` that is called as a method. */
    fetch: options.fetch ?? ((...args: Parameters<typeof fetch>) => fetch(...args)),
  };
  const retry = createRetryInterceptor({ maxRetries, random: Math.random });
  if (credentials === undefined) return createConnectTransport({ ...connection, interceptors: [retry] });
  const tokens = createAccessTokens(
    () => fetchToken(createConnectTransport(connection), credentials),
    () => performance.now(),
  );
  return createConnectTransport({ ...connection, interceptors: [retry, createAuthorizeInterceptor(tokens)] });
}

async function fetchToken(
  transport: Transport,
  credentials: { clientId: string; clientSecret: string },
): Promise<Token> {
  const client = createClient(TokenService, transport);
  const answer = await client.createToken({ grantType: 'client_credentials', ...credentials });
  return { value: answer.accessToken, lifetimeMs: answer.expiresIn * 1_000 };
}
