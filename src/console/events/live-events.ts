/** What arrives, asked for again and again: each answer says where the next one goes on. */

import { createClient } from '@connectrpc/connect';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { EventService } from '../../../gen/es/personalisation/v1/event_service_pb.js';
import { momentOf } from '../kit/timestamp.ts';
import { useConsole } from '../service/console-context.ts';

export type Filter = { types: string[]; visitor: string; item: string; page: string };

export type EventDocument = Partial<Record<string, unknown>>;

export type LiveEvent = {
  /** Counts up as they come. */
  key: number;
  time: Date | undefined;
  isRobot: boolean;
  document: EventDocument;
};

type Live = { events: LiveEvent[]; position: string; isLeftOut: boolean };

const intervalMs = 2_000;
const mostAtOnce = 100;
/** Kept and shown; the earlier ones go. */
const mostShown = 500;

/** The latest first. */
export function useLiveEvents(filter: Filter, isHeld: boolean) {
  const { connection, environment } = useConsole();
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
      const came = answer.events.map(({ receiveTime, robot, json }, i) => ({
        key: first + i,
        time: momentOf(receiveTime),
        isRobot: robot,
        document: JSON.parse(json) as EventDocument,
      }));
      const events = came.length === 0 ? known : [...came.reverse(), ...known].slice(0, mostShown);
      return { events, position: answer.position, isLeftOut: before !== undefined && answer.leftOut };
    },
    refetchInterval: isHeld ? false : intervalMs,
    staleTime: 0,
    structuralSharing: false,
  });
}
