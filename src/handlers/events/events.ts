/** Event operations: checks each event, completes it and passes it to the intake. */

import { getOption } from '@bufbuild/protobuf';
import { type Timestamp, timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { Logger } from 'pino';
import { event as eventOption } from '../../../gen/es/personalisation/rest/v1/options_pb.js';
import { type Event, EventSchema, EventTypeSchema } from '../../../gen/es/personalisation/v1/event_pb.js';
import {
  type EventBatch,
  EventService,
  type ImportedEvent,
  ListedEventSchema,
} from '../../../gen/es/personalisation/v1/event_service_pb.js';
import type { Deployment, EnvironmentSettings } from '../../deployment/deployment.ts';
import { checkRegistered, type RegisteredFacts } from '../../deployment/registered-values.ts';
import type { Violation } from '../../errors.ts';
import type { Agents } from '../../events/agents.ts';
import { checkEvent, checkFigures, checkIds, type EventFacts, isRefund } from '../../events/event-rules.ts';
import type { EventIntake } from '../../events/intake.ts';
import { isPurchase, refundType } from '../../events/meaning.ts';
import type { FaultyEvent, Refusals, RefusedEvent } from '../../events/refusals.ts';
import type { VisitorNetworks } from '../../events/visitor-networks.ts';
import { encodeJson, verbatimOf } from '../../formats/codec.ts';
import { createSparingWarning } from '../../ranking/runtime/sparing-warning.ts';
import type { Database } from '../../repository/database.ts';
import type { EventRow } from '../../repository/event-row.ts';
import { findStoredAt } from '../../repository/events/log-positions.ts';
import { listNewEvents, type NewEvent } from '../../repository/events/newest-events.ts';
import type { Call } from '../chain/call.ts';
import { implement } from '../chain/implement.ts';
import { refuse } from '../chain/refuse.ts';
import type { ItemReplica } from '../items/replica/item-replica.ts';
import { withoutVisitor } from '../messages/consent.ts';
import { readRecord, refusal } from '../messages/import-records.ts';
import { fitElements } from '../messages/pages.ts';
import { rowOf } from './event-rows.ts';
import { exportEvents, exportedJson } from './exported-events.ts';
import { judgeVisitor } from './judge-visitor.ts';
import { readPosition, writePosition } from './position.ts';
import { checkUnproven } from './visitor-controls.ts';

export type EventHandlersOptions = {
  db: Database;
  deployment: Deployment;
  replica: ItemReplica;
  intake: EventIntake;
  refusals: Refusals;
  agents: Pick<Agents, 'judge'>;
  visitorNetworks: Pick<VisitorNetworks, 'admit'>;
  clock: () => number;
  logger: Logger;
};

/** `position` is the place in the log that an imported event was exported from. */
type Check = { row: EventRow; position?: string } | { violations: Violation[] };

const usualPageSize = 50;

/** Includes the warning of unregistered values, which a batch would repeat for every event. */
type Checking = EventHandlersOptions & { warn(finding: object): void };

export function createEventHandlers(given: EventHandlersOptions) {
  const warn = createSparingWarning(given.logger, 'An event has a value that is not registered.');
  const options: Checking = { ...given, warn };
  const { db, deployment, intake, refusals, clock, agents, visitorNetworks } = options;

  return implement(EventService, {
    async createEvents({ environment, batch, partial }, call) {
      refuse(checkCount(batch!, call));
      const settings = deployment.environments.get(environment)!;
      const faultsBefore = groupByElement(call);
      const { agent, isRobot: robot } = agents.judge(settings, call.userAgent);
      const events = batch!.events.map((event) => withoutVisitor(event, call));
      const context = { settings, nowMs: clock(), robot, isPublic: isPublic(call) };
      const checks = events.map((event, i): Check => {
        const violations = faultsBefore.get(i);
        return violations ? { violations } : checkOne(event, context, options);
      });
      const faults = checks.flatMap((check, index) =>
        'violations' in check ? [{ index, errors: check.violations }] : [],
      );
      const faulty = faults.map(({ index, errors }) => faultyEvent(events[index], errors));
      if (faulty.length > 0) refusals.note(environment, call.caller?.clientId, faulty);
      if (!partial)
        refuse(
          faults.flatMap(({ index, errors }) => errors.map((error) => prefixed(`/events/${index}`, error))),
        );
      const judged = (row: EventRow) => judgeVisitor(row, call, visitorNetworks);
      return {
        ...(await store(intake, checks, { judged })),
        refused: faults,
        agent,
      };
    },
    async *importEvents(requests, call) {
      for await (const { environment, events, validateOnly } of requests) {
        const settings = deployment.environments.get(environment)!;
        const context = { settings, nowMs: clock(), robot: false, isPublic: isPublic(call) };
        const checks = events.map((imported) => checkImported(imported, context, options));
        const rows = checks.filter((check) => 'row' in check);
        const accepted = validateOnly
          ? { acceptedCount: rows.length }
          : await store(intake, checks, { repeated: await findStoredAt(db, environment, rows) });
        const faults = checks.flatMap((check, i) =>
          'row' in check ? [] : [{ event: events[i], violations: check.violations }],
        );
        const refused = faults.map(({ event, violations }) => refusal(event.line, violations));
        const faulty = faults.map(({ event, violations }) => importedFault(event, violations));
        if (faulty.length > 0 && !validateOnly) refusals.note(environment, call.caller?.clientId, faulty);
        yield { ...accepted, refused };
      }
    },
    exportEvents: (requests) => exportEvents(db, requests),
    async listEvents({ environment, pageSize = usualPageSize, position, ...filter }, call) {
      const since = position ? readPosition(position) : undefined;
      const found = await listNewEvents(db, environment, { filter, since, limit: pageSize });
      const shown = { schema: ListedEventSchema, messageOf: listedMessage, call };
      const events = fitElements(found.events.toReversed(), shown).reverse();
      const leftOut = found.isCut || events.length < found.events.length;
      return { events, position: writePosition(found.position), leftOut };
    },
    async listRefusedEvents({ environment }) {
      return {
        events: refusals.list(environment).map(refusedMessage),
        refusedCount: BigInt(refusals.countOf(environment)),
        startTime: timestampFromMs(refusals.sinceMs),
      };
    },
  });
}

/** Maximum events of a request with a public write key. Each event costs about 1 % of a list. */
const mostEventsOfPage = 1_000;

function checkCount({ events }: EventBatch, { caller }: Call): Violation[] {
  if (caller?.kind !== 'write_key' || events.length <= mostEventsOfPage) return [];
  const detail = `A write key may send at most ${mostEventsOfPage} events in one request; there are ${events.length}.`;
  return [{ pointer: '/events', detail }];
}

type CheckContext = { settings: EnvironmentSettings; nowMs: number; robot: boolean; isPublic: boolean };

/** Returns whether the caller is unauthenticated: without a token or with a public write key. */
function isPublic({ caller }: Call): boolean {
  return caller?.kind !== 'confidential';
}

type Storing = { judged?(row: EventRow): EventRow; repeated?: ReadonlySet<Check> };

/** Stores valid events unless they are known to be repeated; returns counts and duplicates. */
async function store(
  intake: EventIntake,
  checks: readonly Check[],
  { judged = (row) => row, repeated = new Set() }: Storing,
) {
  const accepted = [...checks.entries()].filter(([, check]) => 'row' in check);
  const fresh = accepted.filter(([, check]) => !repeated.has(check));
  const rows = fresh.map(([, check]) => judged((check as { row: EventRow }).row));
  const stored = rows.length > 0 ? await intake.store(rows) : [];
  const isStored = new Set(fresh.filter((_, i) => stored[i]).map(([index]) => index));
  const duplicateIndexes = accepted.map(([index]) => index).filter((index) => !isStored.has(index));
  return { acceptedCount: accepted.length, duplicateCount: duplicateIndexes.length, duplicateIndexes };
}

function refusedMessage({ atMs, clientId, document, violations }: RefusedEvent) {
  return {
    time: timestampFromMs(atMs),
    clientId: clientId ?? '',
    eventType: String(document.event_type ?? ''),
    errors: [...violations],
    json: JSON.stringify(document),
  };
}

function listedMessage(event: NewEvent) {
  const receiveTime = timestampFromMs(Math.floor(event.receivedAtMs));
  return { receiveTime, robot: event.robot, json: exportedJson(event) };
}

/** Name in JSON and required fields of each event type, as declared in event.proto. */
const eventTypes = new Map(
  EventTypeSchema.values.map((value) => [
    value.number,
    {
      name: value.name.slice('EVENT_TYPE_'.length).toLowerCase(),
      required: getOption(value, eventOption).required.map((name) => ({ name, field: fieldOf(name) })),
    },
  ]),
);

function fieldOf(name: string): keyof Event {
  return EventSchema.fields.find((field) => field.name === name)!.localName as keyof Event;
}

function checkOne(event: Event, context: CheckContext, options: Checking): Check {
  const { settings, nowMs, robot, isPublic } = context;
  const type = eventTypes.get(event.eventType)!;
  const occurredAtMs = event.timestamp && wholeMs(event.timestamp);
  const facts: EventFacts & RegisteredFacts = {
    eventType: type.name,
    deviceId: event.deviceId,
    userId: event.userId,
    eventId: event.eventId,
    occurredAtMs,
    pageType: event.pageType,
    channel: event.channel,
    listName: event.listName,
  };
  const missing = type.required.filter(({ field }) => !event[field]).map(({ name }) => name);
  const violations = checkEvent(facts, missing, nowMs);
  violations.push(...checkIds(facts, settings.placeholderIds));
  violations.push(...checkFigures(event, settings.eventBounds, type.name, settings.ratingScale));
  if (isPublic) violations.push(...checkUnproven(event, settings));
  violations.push(...checkRegistered(facts, settings, options.warn));
  if (violations.length > 0) return { violations };
  const eventType = isPurchase(type.name) && isRefund(event) ? refundType : type.name;
  const moment = { occurredAtMs: occurredAtMs ?? nowMs, eventType, robot, isPublic };
  return { row: rowOf(event, moment, settings, options.replica) };
}

/** Rounds down, so that an event at the end of an hour counts in it. */
function wholeMs({ seconds, nanos }: Timestamp): number {
  return Number(seconds) * 1_000 + Math.floor(nanos / 1e6);
}

export function checkImported(imported: ImportedEvent, context: CheckContext, options: Checking): Check {
  const { form } = imported;
  const { message, violations } = readRecord(
    EventSchema,
    form.case === 'event' ? { ...form, case: 'message' } : form,
  );
  if (!message) return { violations };
  const check = checkOne(withoutVisitor(message, {}), context, options);
  const position = message.logPosition;
  if ('violations' in check || position === undefined) return check;
  const { log_position: _, ...details } = check.row.details as Record<string, unknown>;
  return { row: { ...check.row, details }, position };
}

/** Groups violations that the gateway left to the handler by the event's index. */
function groupByElement({ violations = [] }: Call): Map<number, Violation[]> {
  const groups = new Map<number, Violation[]>();
  for (const { pointer, detail } of violations) {
    const [, , index, ...rest] = pointer.split('/');
    const group = groups.get(Number(index)) ?? [];
    groups.set(Number(index), group);
    group.push({ pointer: rest.map((step) => `/${step}`).join(''), detail });
  }
  return groups;
}

function prefixed(prefix: string, { pointer, detail }: Violation): Violation {
  return { pointer: prefix + pointer, detail };
}

/** @param event Undefined if the element was not an object. */
function faultyEvent(event: Event | undefined, violations: Violation[]): FaultyEvent {
  return { document: event ? (verbatimOf(event) ?? encoded(event)) : {}, violations };
}

/** Returns an empty document for a message without JSON, such as a Value without a kind. */
function encoded(event: Event): FaultyEvent['document'] {
  try {
    return encodeJson(EventSchema, event) as FaultyEvent['document'];
  } catch {
    return {};
  }
}

export function importedFault({ form }: ImportedEvent, violations: Violation[]): FaultyEvent {
  if (form.case === 'event') return faultyEvent(form.value, violations);
  return { document: objectOf(form.value ?? ''), violations };
}

/** Returns an empty document for anything but a JSON object. */
function objectOf(json: string): FaultyEvent['document'] {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? (value as FaultyEvent['document']) : {};
  } catch {
    return {};
  }
}
