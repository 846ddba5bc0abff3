/** Parses settings besides rules: freshness, fatigue, rotation, exploration and the schedule. */

import type { Configuration } from '../../../gen/es/personalisation/v1/configuration_pb.js';
import type { Purpose } from '../../deployment/deployment.ts';
import type { Violation } from '../../errors.ts';
import type { ConfigurationSettings } from '../../ranking/rules/settings.ts';
import { parseFullMoment } from '../../ranking/runtime/instants.ts';
import type { Scheduled } from '../configurations/replica/schedule.ts';

const hourMs = 3_600_000;
const minuteMs = 60_000;
const defaultFatigueWindowHours = 168;
const defaultCandidates = 20;
const defaultTemperature = 0.3;
const defaultDailyImpressions = 100;

export function parseSettings(message: Configuration): ConfigurationSettings {
  const { freshness, fatigue, rotation, calibration, exploration, stockBudget } = message;
  return {
    freshness: freshness && {
      maximumAgeMs: scaled(freshness.maximumAgeHours, hourMs),
      halfLifeMs: scaled(freshness.halfLifeHours, hourMs),
    },
    fatigue: fatigue && {
      maximumImpressions: fatigue.maximumImpressions!,
      windowMs: (fatigue.windowHours ?? defaultFatigueWindowHours) * hourMs,
    },
    rotation: rotation && { rate: rotation.rate!, periodMs: (rotation.periodMinutes ?? 0) * minuteMs },
    calibration: calibration && { strength: calibration.strength! },
    exploration: exploration && {
      share: exploration.share!,
      slots: exploration.slots,
      of: exploration.of ?? defaultCandidates,
      temperature: exploration.temperature ?? defaultTemperature,
      itemAgeMs: scaled(exploration.itemAgeDays, 24 * hourMs),
      dailyImpressions: exploration.dailyImpressions ?? defaultDailyImpressions,
    },
    stockBudget: stockBudget && {
      property: stockBudget.property,
      impressionsPerUnit: stockBudget.impressionsPerUnit!,
    },
    allowDuplicates: message.allowDuplicates ?? false,
    pins: message.pins.map(({ itemId, itemType, rank }) => ({ itemId, itemType, rank })),
    hides: message.hides.map(({ itemId, itemType }) => ({ itemId, itemType })),
    purpose: message.purpose as Purpose | undefined,
  };
}

function scaled(value: number | undefined, factor: number): number | undefined {
  return value === undefined ? undefined : value * factor;
}

export function checkExploration({ exploration }: Configuration): Violation[] {
  if (!exploration) return [];
  const { slots, of = defaultCandidates } = exploration;
  const isAscending = slots.every((rank, i) => i === 0 || rank > slots[i - 1]);
  return [
    ...(slots.length === 0 ? [{ pointer: '/exploration/slots', detail: 'Must name a position.' }] : []),
    ...(isAscending ? [] : [{ pointer: '/exploration/slots', detail: 'Must ascend without repetition.' }]),
    ...(of > slots.length
      ? []
      : [{ pointer: '/exploration/of', detail: 'Must be greater than the number of slots.' }]),
  ];
}

/** Returns when a version or guarantee is active, and violations. @param parent Pointer to the message. */
export function parseSchedule(
  message: Pick<Configuration, 'activeFrom' | 'activeUntil'>,
  parent = '',
): { schedule: Omit<Scheduled, 'version'>; violations: Violation[] } {
  const violations: Violation[] = [];
  const read = (pointer: string, text: string | undefined): number | undefined => {
    if (text === undefined) return undefined;
    const moment = parseFullMoment(text);
    if (moment === undefined) violations.push({ pointer, detail: 'Must be RFC 3339 with an offset.' });
    return moment;
  };
  const activeFromMs = read(`${parent}/active_from`, message.activeFrom);
  const activeUntilMs = read(`${parent}/active_until`, message.activeUntil);
  if (activeFromMs !== undefined && activeUntilMs !== undefined && activeFromMs >= activeUntilMs) {
    violations.push({ pointer: `${parent}/active_until`, detail: 'Must be after active_from.' });
  }
  return { schedule: { activeFromMs, activeUntilMs }, violations };
}
