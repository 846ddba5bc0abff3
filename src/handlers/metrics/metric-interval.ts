/** Parses the interval of a metric query. */

import type { TimeInterval } from '../../../gen/es/personalisation/v1/metric_pb.js';
import { parseFullMoment } from '../../ranking/runtime/instants.ts';
import { refuse } from '../chain/refuse.ts';

const hourMs = 3_600_000;

/** Bounds of the database column, beyond any real time. */
const allTime = { fromHour: -(2 ** 31), toHour: 2 ** 31 - 1 };

export type Hours = { fromHour: number; toHour: number };

/** Returns hours since 1970, [from, to). @param pointer Prefix, such as `/start_time/`. */
export function readHours(
  interval: TimeInterval | undefined,
  pointer: string,
  otherwise: Hours = allTime,
): Hours {
  const from = readHour(interval?.gte, `${pointer}gte`);
  const to = readHour(interval?.lt, `${pointer}lt`);
  refuse([...from.violations, ...to.violations]);
  if (from.hour !== undefined && to.hour !== undefined && from.hour > to.hour) {
    refuse([{ pointer: `${pointer}gte`, detail: 'Must not be after lt.' }]);
  }
  return { fromHour: from.hour ?? otherwise.fromHour, toHour: to.hour ?? otherwise.toHour };
}

/** ISO 8601 down to the hour or finer. The default offset is UTC. */
const isoPattern = /^(\d{4}-\d{2}-\d{2}[Tt ]\d{2})(:\d{2})?(:\d{2}(?:\.\d+)?)?([Zz]|[+-]\d{2}(?::?\d{2})?)?$/;

function parseIso(text: string): number | undefined {
  const [, hour, minute = ':00', second = ':00', offset = 'Z'] = isoPattern.exec(text) ?? [];
  return hour === undefined ? undefined : parseFullMoment(`${hour}${minute}${second}${offset}`);
}

function readHour(text: string | undefined, pointer: string) {
  if (text === undefined) return { hour: undefined, violations: [] };
  const moment = parseIso(text);
  if (moment !== undefined && moment % hourMs === 0) return { hour: moment / hourMs, violations: [] };
  return {
    hour: undefined,
    violations: [
      {
        pointer,
        detail: 'Must be an ISO 8601 timestamp with minutes and seconds zero, e.g. 2026-11-20T09:00:00Z.',
      },
    ],
  };
}
