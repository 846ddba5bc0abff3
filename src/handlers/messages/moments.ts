import { dayExists } from '../../ranking/catalog/instants.ts';

/** RFC 3339 with an offset; dates and local times are not accepted. */
const momentPattern = /^\d{4}-\d{2}-\d{2}[Tt ](?:[01]\d|2[0-3]):\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;

/** Returns milliseconds since the epoch; undefined if the text is not RFC 3339 with an offset. */
export function parseFullMoment(text: string): number | undefined {
  if (!momentPattern.test(text)) return undefined;
  const milliseconds = Date.parse(text.toUpperCase().replace(' ', 'T'));
  if (Number.isNaN(milliseconds) || !dayExists(text)) return undefined;
  return milliseconds;
}
