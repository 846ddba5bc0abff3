/** Converts a checked event into the row that is stored. */

import { type Event, EventSchema } from '../../../gen/es/personalisation/v1/event_pb.js';
import type { EnvironmentSettings } from '../../deployment/deployment.ts';
import { isClick, isPurchase, refundType } from '../../events/meaning.ts';
import { encodeJson, verbatimOf } from '../../formats/codec.ts';
import type { EventRow } from '../../repository/event-row.ts';
import type { ItemReplica } from '../items/replica/item-replica.ts';

/** An action on a group is stored as an item of its own type, which is never recommended. */
export function rowOf(
  event: Event,
  moment: Pick<EventRow, 'occurredAtMs' | 'eventType' | 'robot' | 'isPublic'>,
  settings: EnvironmentSettings,
  replica: ItemReplica,
): EventRow {
  const { eventType } = moment;
  const { requestId, listName, pageType, channel, userGroup, version } = event;
  const itemId = event.actionItem || event.actionGroup || undefined;
  const itemType = event.actionItem ? itemTypeOf(event, settings, replica) : event.actionGroupType || 'group';
  const isMoment =
    event.actionItem && (isClick(eventType) || isPurchase(eventType) || eventType === refundType);
  return {
    environment: settings.name,
    ...moment,
    deviceId: event.deviceId || undefined,
    userId: event.userId || undefined,
    itemType: itemId && itemType,
    itemId,
    itemGroup: isMoment ? itemGroupOf(event.actionItem!, itemType, settings, replica) : undefined,
    ...{ requestId, listName, pageType, channel, userGroup, version },
    eventId: event.eventId || undefined,
    details: verbatimOf(event) ?? encodeJson(EventSchema, event),
  };
}

/** Returns the caller's type, else that of the first item with the ID; empty if unknown. */
function itemTypeOf(event: Event, settings: EnvironmentSettings, replica: ItemReplica): string {
  if (event.actionItemType) return event.actionItemType;
  const catalog = replica.catalogOf(settings.name);
  const itemIndex = catalog.indexOfId(event.actionItem!);
  return itemIndex === undefined ? '' : catalog.itemTypeAt(itemIndex);
}

/** Returns the group of an item that stands for its variants; an ordered group does not. */
function itemGroupOf(
  itemId: string,
  itemType: string,
  { name }: EnvironmentSettings,
  replica: ItemReplica,
): string | undefined {
  const catalog = replica.catalogOf(name);
  const itemIndex = catalog.indexOf(itemType, itemId);
  if (itemIndex === undefined || catalog.groups.isOrdered(itemIndex)) return undefined;
  const [group] = catalog.column('group_id')!.valuesAt(itemIndex);
  return group === undefined ? undefined : String(group);
}
