/** Changes of the mapping that remove a cause of rejections. */

import type { RejectionCause } from '../../../../gen/es/personalisation/v1/import_pb.js';
import { skipEmpty, transformField } from '../../../formats/records/mapping/edit.ts';
import { t } from '../../texts/texts.ts';

export type Fix = { label: string; mapping: string };

const comma = [t('Read numbers with a decimal comma'), { as: 'decimal_comma' }] as const;
const point = [t('Read numbers with a decimal point'), { as: 'decimal_point' }] as const;
const dayFirst = [t('Read dates as day, month, year'), { as: 'day_month_year' }] as const;
const monthFirst = [t('Read dates as month, day, year'), { as: 'month_day_year' }] as const;

/** The first pattern that the cause matches counts. */
const conversions: readonly [cause: RegExp, fixes: readonly (readonly [string, Record<string, string>])[]][] =
  [
    [/decimal_comma or decimal_point/, [comma, point]],
    [/a number such as 1,234\.50/, [comma]],
    [/a number such as 1\.234,50/, [point]],
    [/day_month_year or month_day_year/, [dayFirst, monthFirst]],
    [/a date of day, month, year/, [monthFirst]],
    [/a date of month, day, year/, [dayFirst]],
    [/^Must be a number/, [[t('Read as numbers'), { as: 'number' }], comma]],
    [/^Must be RFC 3339/, [[t('Read as dates'), { as: 'date' }], dayFirst]],
    [/^Must be true or false|^Must be a boolean/, [[t('Read as yes or no'), { as: 'boolean' }]]],
  ];

/** Values that the mapping cannot convert; the service refuses others. */
const isUnreadable = (detail: string): boolean => detail.startsWith('"…"');

export function fixesOf({ pointer, detail }: RejectionCause, mapping: string): Fix[] {
  if (pointer === '' || mapping === '') return [];
  const [, found = []] = conversions.find(([cause]) => cause.test(detail)) ?? [];
  const offered: [string, string | undefined][] = found.map(([label, transforms]) => [
    label,
    transformField(mapping, pointer, transforms),
  ]);
  if (isUnreadable(detail)) {
    offered.push([t('Leave out the values'), transformField(mapping, pointer, { unreadable: 'leave_out' })]);
    offered.push([t('Skip the rows'), transformField(mapping, pointer, { unreadable: 'skip' })]);
  }
  if (detail === 'Is required.') offered.push([t('Skip the rows'), skipEmpty(mapping, pointer)]);
  return offered.flatMap(([label, text]) => (text === undefined ? [] : [{ label, mapping: text }]));
}
