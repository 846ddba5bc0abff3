/** Controls of visitors over the lists on their device, stored as events of the device. */

import { hash, timingSafeEqual } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { type Event, EventSchema, EventType } from '../../../gen/es/personalisation/v1/event_pb.js';
import {
  type VisitorControl,
  VisitorService,
} from '../../../gen/es/personalisation/v1/visitor_service_pb.js';
import { type Deployment, type EnvironmentSettings, isPlaceholder } from '../../deployment/deployment.ts';
import type { Violation } from '../../errors.ts';
import type { Agents } from '../../events/agents.ts';
import type { EventIntake } from '../../events/intake.ts';
import { isForgetting, opinionOf, qualifierOf } from '../../events/meaning.ts';
import type { VisitorNetworks } from '../../events/visitor-networks.ts';
import { anonymousDevice } from '../../ranking/subject.ts';
import type { Call } from '../chain/call.ts';
import { implement } from '../chain/implement.ts';
import { refuse } from '../chain/refuse.ts';
import type { ItemReplica } from '../items/replica/item-replica.ts';
import { enumValue, holdsTexts } from '../messages/values.ts';
import { rowOf } from './event-rows.ts';
import { judgeVisitor } from './judge-visitor.ts';

export type VisitorHandlersOptions = {
  deployment: Deployment;
  replica: ItemReplica;
  intake: EventIntake;
  agents: Pick<Agents, 'judge'>;
  visitorNetworks: Pick<VisitorNetworks, 'admit'>;
  clock: () => number;
};

export function createVisitorHandlers(options: VisitorHandlersOptions) {
  const { deployment, replica, intake, agents, visitorNetworks, clock } = options;
  return implement(VisitorService, {
    async createVisitorControl({ environment, control }, call) {
      const settings = deployment.environments.get(environment)!;
      refuse([...checkTarget(control!, settings), ...checkProof(control!, settings, call)]);
      const { event, eventType } = eventOf(control!);
      const { isRobot: robot } = agents.judge(settings, call.userAgent);
      const isPublic = call.caller?.kind !== 'confidential';
      const row = rowOf(event, { occurredAtMs: clock(), eventType, robot, isPublic }, settings, replica);
      await intake.store([judgeVisitor(row, call, visitorNetworks)]);
      return {};
    },
  });
}

const interactionOf = {
  not_interested: 'not_interested',
  less_of: 'show_less',
  forget: 'forget',
  undo: 'undo',
  reset: 'sign_out',
} as const;

function eventOf({ deviceId, action, itemId, itemType, property, value }: VisitorControl) {
  const interactionType = interactionOf[action as keyof typeof interactionOf];
  const eventOn = (
    eventType: 'user_interaction' | 'group_interaction' | 'item_interaction',
    about: object,
  ) => {
    const facts = { eventType: enumValue(EventType, eventType), deviceId, interactionType };
    return { event: create(EventSchema, { ...facts, ...about }), eventType };
  };
  if (action === 'reset') return eventOn('user_interaction', {});
  if (isOfValue({ action, property }))
    return eventOn('group_interaction', { actionGroup: value, actionGroupType: property });
  return eventOn('item_interaction', { actionItem: itemId, actionItemType: itemType });
}

const isOfValue = ({ action, property }: Pick<VisitorControl, 'action' | 'property'>): boolean =>
  action === 'less_of' || (action === 'undo' && property !== undefined);

function checkTarget(control: VisitorControl, settings: EnvironmentSettings): Violation[] {
  const { deviceId, action, itemId, property, value } = control;
  const violations: Violation[] = [];
  if (deviceId === anonymousDevice || isPlaceholder(settings.placeholderIds, deviceId))
    violations.push({ pointer: '/device_id', detail: 'Does not identify a device.' });
  if (action === 'reset') return violations;
  const ofValue = isOfValue(control);
  if (!ofValue && !itemId)
    violations.push({ pointer: '/item_id', detail: `Must be present for the action ${action}.` });
  if (ofValue && !value)
    violations.push({ pointer: '/value', detail: `Must be present for the action ${action}.` });
  if (!ofValue && property !== undefined)
    violations.push({ pointer: '/property', detail: `Must be absent for the action ${action}.` });
  if (ofValue && !holdsTexts(property, settings))
    violations.push({
      pointer: '/property',
      detail: 'Must be categories or a declared property of strings.',
    });
  return violations;
}

/** A device ID is a commitment to its secret, so the service needs no state and no key to check it. */
function checkProof(
  { deviceId, deviceSecret = '' }: VisitorControl,
  { visitors }: EnvironmentSettings,
  { caller }: Call,
): Violation[] {
  if (caller?.kind === 'confidential' || !visitors.needsProof) return [];
  const expected = Buffer.from(hash('sha256', deviceSecret).slice(0, 32));
  const given = Buffer.from(deviceId);
  if (given.length === expected.length && timingSafeEqual(given, expected)) return [];
  return [{ pointer: '/device_secret', detail: 'Is not the secret of the device.' }];
}

/** Refuses public events that have the effect of a control that needs proof. */
export function checkUnproven(event: Event, settings: EnvironmentSettings): Violation[] {
  const { interactionType, actionGroupType, rating } = event;
  if (!settings.visitors.needsProof || (interactionType ?? rating) === undefined) return [];
  const details = { interaction_type: interactionType, rating };
  const eventType =
    event.eventType === EventType.GROUP_INTERACTION ? 'group_interaction' : 'item_interaction';
  const qualifier = qualifierOf({ eventType, details }, settings);
  const isLess =
    eventType === 'group_interaction' &&
    holdsTexts(actionGroupType, settings) &&
    opinionOf(eventType, qualifier, settings.eventWeights) === -1;
  if (!isLess && !isForgetting(qualifier)) return [];
  const detail = 'Needs the proof of the device: use VisitorService.CreateVisitorControl.';
  return [{ pointer: '/interaction_type', detail }];
}
