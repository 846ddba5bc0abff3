/** Applies the visitor's consent and the settings of profiling to messages of requests and events. */

import { create, isMessage } from '@bufbuild/protobuf';
import { type Event, EventSchema, EventType } from '../../../gen/es/personalisation/v1/event_pb.js';
import type { EnvironmentSettings } from '../../deployment/deployment.ts';
import { isSignOut, optOuts } from '../../events/meaning.ts';
import { anonymousDevice } from '../../ranking/subject.ts';
import type { Call } from '../chain/call.ts';

type Consenting = { consent?: string };

type Profiled = Consenting & {
  deviceId?: string;
  userId?: string;
  pageType?: string;
  userGroup?: string;
  version?: string;
  histories?: Record<string, unknown>;
  lists?: readonly { listName: string }[];
  profiling?: string;
  doNotStore?: boolean;
};

type Settings = Pick<EnvironmentSettings, 'visitors' | 'versions'>;

/** Whether nothing about the visitor may be stored or used. */
function lacksConsent({ consent }: Consenting, call: Pick<Call, 'refusesProfiling'>): boolean {
  return consent === undefined ? call.refusesProfiling === true : consent === 'none';
}

/** Whether the environment turns profiling off for a placement. */
export function isWithoutProfiling(
  { pageType, lists = [] }: Pick<Profiled, 'pageType' | 'lists'>,
  { visitors }: Pick<Settings, 'visitors'>,
): boolean {
  const isOfList = (name: string | undefined) =>
    name === undefined || lists.some(({ listName }) => listName === name);
  const names = (place: { pageType: string; listName?: string }) =>
    place.pageType === pageType && isOfList(place.listName);
  return visitors.isUniform || visitors.withoutProfiling.some(names);
}

/**
 * Returns the request for the anonymous device if the visitor did not consent or profiling is off.
 * One list without profiling decides for all lists of a request, since none repeats another's items.
 */
export function withConsent<Request extends Profiled>(
  request: Request,
  settings: Settings,
  call: Pick<Call, 'refusesProfiling'>,
): Request {
  const mayStore = !lacksConsent(request, call);
  const { histories = {} } = request;
  const isUniform = request.profiling === 'none' || isWithoutProfiling(request, settings);
  if (mayStore && !isUniform) return request;
  const isOwn = !isUniform && Object.keys(histories).length > 0;
  return {
    ...request,
    deviceId: anonymousDevice,
    userId: undefined,
    histories: isOwn ? histories : {},
    userGroup: request.userGroup ?? 'recommender',
    version: request.version ?? settings.versions[0]?.name,
    profiling: isOwn ? request.profiling : 'none',
    doNotStore: request.doNotStore || !mayStore,
  };
}

/** Whether an event is an opt-out or a sign-out, which leave less known than before. */
function withdraws({ eventType, interactionType }: Event): boolean {
  const kind = interactionType?.toLowerCase() ?? '';
  const details = { interaction_type: kind };
  if (eventType === EventType.CANCEL_SUBSCRIPTION || optOuts.has(kind)) return true;
  return eventType === EventType.USER_INTERACTION && isSignOut({ eventType: 'user_interaction', details });
}

/** Returns what may be stored of an event: all of it, or what does not tell of the visitor. */
export function withoutVisitor(event: Event, call: Pick<Call, 'refusesProfiling'>): Event {
  if (!isMessage(event) || !lacksConsent(event, call) || withdraws(event)) return event;
  const { eventType, pageType, channel, listName, userGroup, version, consent } = event;
  const { actionItem, actionItemType, actionGroup, actionGroupType, interactionType } = event;
  const { contextItem, contextItemType, amount, originalPrice, purchasedPrice, progress, rating } = event;
  return create(EventSchema, {
    ...{ deviceId: anonymousDevice, consent },
    ...{ eventType, pageType, channel, listName, userGroup, version, interactionType },
    ...{ actionItem, actionItemType, actionGroup, actionGroupType, contextItem, contextItemType },
    ...{ amount, originalPrice, purchasedPrice, progress, rating },
  });
}
