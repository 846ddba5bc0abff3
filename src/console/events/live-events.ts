/** Polls for new events; each answer has the position at which the next one continues. */

import { createClient } from '@connectrpc/connect';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { CatalogueService } from '../../../gen/es/personalisation/v1/catalogue_service_pb.js';
import { EventService } from '../../../gen/es/personalisation/v1/event_service_pb.js';
import { momentOf } from '../kit/format.ts';
import { isOneOf } from '../kit/items.ts';
import { useConsole } from '../service/console-context.ts';
import type { Connection } from '../service/transport.ts';

export type Filter = { types: string[]; visitor: string; item: string; page: string };

type EventDocument = Partial<Record<string, unknown>>;

export type LiveEvent = {
  /** Sequence number. */
  key: number;
  time: Date | undefined;
  isRobot: boolean;
  document: EventDocument;
  /** Title of the item acted on, if the catalogue has it. */
  title: string | undefined;
};

type Live = { events: LiveEvent[]; position: string; isTruncated: boolean };

const intervalMs = 2_000;
const mostAtOnce = 100;
/** Items of different types may share an ID. */
const mostTitles = 500;
/** Earlier events are dropped. */
const mostShown = 500;

export const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

export const itemIdOf = ({ action_item, action_group }: EventDocument): string =>
  textOf(action_item) || textOf(action_group);

/** Newest first. */
export function useLiveEvents(filter: Filter, isPaused: boolean) {
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
      const arrived = answer.events.map(({ receiveTime, robot }, i) => ({
        key: first + i,
        time: momentOf(receiveTime),
        isRobot: robot,
        document: documents[i],
        title: titles?.get(itemIdOf(documents[i])),
      }));
      const events = arrived.length === 0 ? known : [...arrived.reverse(), ...known].slice(0, mostShown);
      return { events, position: answer.position, isTruncated: before !== undefined && answer.leftOut };
    },
    refetchInterval: isPaused ? false : intervalMs,
    staleTime: 0,
    structuralSharing: false,
  });
}

/** Reads the titles of new events only. */
async function readTitles(
  { transport }: Connection,
  environment: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const request = { environment, filter: [isOneOf('item_id', ids)], pageSize: mostTitles };
  const { items } = await createClient(CatalogueService, transport).listItems(request);
  return new Map(items.map(({ itemId = '', title = '' }) => [itemId, title]));
}
