/** The interval of a question about metrics, as hours. */

import type { TimeInterval } from '../../gen/es/personalisation/v1/metric_pb.js';
import { parseFullMoment } from '../catalog/item-specification.ts';
import { refuse } from './operations.ts';

const hourMs = 3_600_000;

/** Bounds of a column of the database; nobody's clock gets there. */
const allTime = { fromHour: -(2 ** 31), toHour: 2 ** 31 - 1 };

export type Hours = { fromHour: number; toHour: number };

/** Hours since 1970, [from, to). @param pointer Where the interval stands: `query:start_time.` or `/start_time/`. */
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

function readHour(text: string | undefined, pointer: string) {
  if (text === undefined) return { hour: undefined, violations: [] };
  const moment = parseFullMoment(text);
  if (moment !== undefined && moment % hourMs === 0) return { hour: moment / hourMs, violations: [] };
  return {
    hour: undefined,
    violations: [{ pointer, detail: 'Must be RFC 3339 with minutes and seconds zero.' }],
  };
}
