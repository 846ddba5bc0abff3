/** Moments in messages: RFC 3339 with an offset. */

import { dayExists } from '../../ranking/catalog/instants.ts';

/** RFC 3339 with an offset; a bare date or a local time does not say when. */
const momentPattern = /^\d{4}-\d{2}-\d{2}[Tt ](?:[01]\d|2[0-3]):\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;

/** Returns milliseconds since the epoch; undefined when the text is not RFC 3339 with an offset. */
export function parseFullMoment(text: string): number | undefined {
  if (!momentPattern.test(text)) return undefined;
  const milliseconds = Date.parse(text.toUpperCase().replace(' ', 'T'));
  if (Number.isNaN(milliseconds) || !dayExists(text)) return undefined;
  return milliseconds;
}
