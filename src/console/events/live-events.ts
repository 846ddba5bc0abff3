/** What arrives, asked for again and again: each answer says where the next one goes on. */

import { createClient } from '@connectrpc/connect';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { CatalogueService } from '../../../gen/es/personalisation/v1/catalogue_service_pb.js';
import { EventService } from '../../../gen/es/personalisation/v1/event_service_pb.js';
import { stringValue } from '../kit/items.ts';
import { momentOf } from '../kit/timestamp.ts';
import { useConsole } from '../service/console-context.ts';
import type { Connection } from '../service/transport.ts';

export type Filter = { types: string[]; visitor: string; item: string; page: string };

export type EventDocument = Partial<Record<string, unknown>>;

export type LiveEvent = {
  /** Counts up as they come. */
  key: number;
  time: Date | undefined;
  isRobot: boolean;
  document: EventDocument;
  /** Of the item acted on, where the catalogue has one. */
  title: string | undefined;
};

type Live = { events: LiveEvent[]; position: string; isLeftOut: boolean };

const intervalMs = 2_000;
const mostAtOnce = 100;
/** An id may be that of several items, one of each type. */
const mostTitles = 500;
/** Kept and shown; the earlier ones go. */
const mostShown = 500;

export const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

export const itemIdOf = ({ action_item, action_group }: EventDocument): string =>
  textOf(action_item) || textOf(action_group);

/** The latest first. */
export function useLiveEvents(filter: Filter, isHeld: boolean) {
  const { connection, environment, can } = useConsole();
  const queryClient = useQueryClient();
  const queryKey = ['live events', environment.name, filter];
  return useQuery({
    queryKey,
    queryFn: async ({ signal }): Promise<Live> => {
      const before = queryClient.getQueryData<Live>(queryKey);
      const request = {
        environment: environment.name,
        eventTypes: filter.types,
        visitor: filter.visitor || undefined,
        itemId: filter.item || undefined,
        pageType: filter.page || undefined,
        pageSize: mostAtOnce,
        position: before?.position,
      };
      const answer = await createClient(EventService, connection.transport).listEvents(request, { signal });
      const known = before?.events ?? [];
      const first = (known[0]?.key ?? 0) + 1;
      const documents = answer.events.map(({ json }) => JSON.parse(json) as EventDocument);
      const ids = [...new Set(documents.map(itemIdOf).filter((id) => id !== ''))];
      const titles = can('items') ? await readTitles(connection, environment.name, ids) : undefined;
      const came = answer.events.map(({ receiveTime, robot }, i) => ({
        key: first + i,
        time: momentOf(receiveTime),
        isRobot: robot,
        document: documents[i],
        title: titles?.get(itemIdOf(documents[i])),
      }));
      const events = came.length === 0 ? known : [...came.reverse(), ...known].slice(0, mostShown);
      return { events, position: answer.position, isLeftOut: before !== undefined && answer.leftOut };
    },
    refetchInterval: isHeld ? false : intervalMs,
    staleTime: 0,
    structuralSharing: false,
  });
}

/** Asked once for what came, not again for all that is shown. */
async function readTitles(
  { transport }: Connection,
  environment: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const filter = [{ key: 'item_id', or: ids.map((id) => ({ value: stringValue(id) })) }];
  const request = { environment, filter, pageSize: mostTitles };
  const { items } = await createClient(CatalogueService, transport).listItems(request);
  return new Map(items.map(({ itemId = '', title = '' }) => [itemId, title]));
}
