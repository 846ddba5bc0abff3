/** Lists, results and completions: for this visitor on this page, or the caller's own when the service does not answer. */

import type { FallbackItems, Personalisation } from './client.ts';
import type { Answer, Completions, List, ListOrigin, SearchAnswer } from './contract.ts';
import { newId } from './identity.ts';
import type { Preview } from './preview.ts';
import { type CallOptions, PersonalisationError, post } from './service-call.ts';
import type { Context, Session } from './session.ts';

export type AskingOptions = Pick<Session, 'visitor' | 'context'> & {
  /** Address of the environment. */
  base: string;
  timeoutMs: number;
  preview: Preview;
};

/** The service's share of a call's timeout; the rest is for the network. */
const serviceShare = 0.8;
const longestServiceTimeMs = 60_000;

export function createAsking(
  options: AskingOptions,
): Pick<Personalisation, 'recommend' | 'search' | 'complete'> {
  const { base, visitor, context, preview } = options;
  return {
    async recommend(request, { fallback, timeoutMs = options.timeoutMs, signal } = {}) {
      const timeout_ms = Math.ceil(Math.min(longestServiceTimeMs, timeoutMs * serviceShare));
      const body = {
        ...visitor(),
        ...contextOf(request, context()),
        timeout_ms,
        ...request,
        ...preview.part(),
      };
      const own = request.lists.map(({ list_name, list_size, limit = list_size }) =>
        ownList(list_name, (fallback?.[list_name] ?? []).slice(0, limit)),
      );
      const answering = ask<Answer>('lists', `${base}/recommendations/requests`, body, { timeoutMs, signal });
      const answer = await orFallback(answering, fallback && own);
      preview.heed(answer);
      return withOrigin(answer, 'recommendation', body);
    },
    async search(request, { fallback, timeoutMs = options.timeoutMs, signal } = {}) {
      const { page_type } = context();
      const body = { ...visitor(), page_type, ...request, ...preview.part() };
      const answering = ask<SearchAnswer>('lists', `${base}/searches/requests`, body, { timeoutMs, signal });
      const answer = await orFallback(answering, fallback && [ownList('fallback', fallback)]);
      preview.heed(answer);
      return withOrigin(answer, 'search', { page_type: body.page_type });
    },
    complete(request, { timeoutMs = options.timeoutMs, signal } = {}) {
      const { channel: _, ...subject } = visitor();
      const body = { ...subject, ...request, ...(preview.part().preview && { do_not_store: true }) };
      return ask<Completions>('completions', `${base}/searches/completions`, body, { timeoutMs, signal });
    },
  };
}

/** A proxy, or what blocks advertisements, may answer in the service's place: with success, and nothing of what was asked for. */
async function ask<A>(member: keyof A, url: string, body: unknown, options: CallOptions): Promise<A> {
  const answer = await post<A | null | undefined>(url, body, options);
  if (answer?.[member]) return answer;
  throw new PersonalisationError('UNAVAILABLE', 0, `No answer: there are no ${String(member)} in it.`);
}

/** Returns the context of the current page; an item of the request has its own type. */
function contextOf({ context_item }: { context_item?: string }, { page_type, ...about }: Context): Context {
  return context_item === undefined ? { page_type, ...about } : { page_type };
}

async function orFallback<A extends Answer>(answering: Promise<A>, lists: List[] | undefined): Promise<A> {
  try {
    return { ...(await answering), is_fallback: false };
  } catch (error) {
    if (!lists || !(error instanceof PersonalisationError && error.isPassing)) throw error;
    return { lists, request_id: newId(), user_group: 'cms', is_fallback: true } as A;
  }
}

/** The rest of its origin is filled in with that of the answer. */
function ownList(list_name: string, fallback: FallbackItems): List {
  const items = fallback.map((item, index) => ({
    rank: index + 1,
    ...(typeof item === 'string' ? { item_id: item } : item),
  }));
  return { list_name, list_size: items.length, items } as unknown as List;
}

function withOrigin<A extends Answer>(answer: A, kind: ListOrigin['kind'], context: Context): A {
  const { request_id, user_group, version } = answer;
  const { page_type, context_item, context_item_type } = context;
  const origin = { kind, request_id, user_group, version, page_type, context_item, context_item_type };
  return { ...answer, lists: answer.lists.map((list) => ({ ...list, ...origin })) };
}
