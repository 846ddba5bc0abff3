/** Schedules of versions: live, next or ended. */

import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import type {
  ConfigurationPeriod,
  ConfigurationSummary,
} from '../../../gen/es/personalisation/v1/configuration_service_pb.js';
import { localOf } from '../../ranking/runtime/time-zones.ts';
import { formatMoment } from '../kit/format.ts';
import { t } from '../texts/texts.ts';

export type Period = { from?: Date; until?: Date };

const dateOf = (time?: Timestamp): Date | undefined => time && timestampDate(time);

export const periodOf = ({ activeFrom, activeUntil }: Partial<ConfigurationPeriod>): Period => ({
  from: dateOf(activeFrom),
  until: dateOf(activeUntil),
});

/** Returns a period in local times, as if the zone were UTC. */
export function localPeriodOf({ from, until }: Period, timeZone: string): Period {
  const local = (moment?: Date) => moment && new Date(localOf(moment.getTime(), timeZone));
  return { from: local(from), until: local(until) };
}

/** Versions that start later, the earliest first. */
export const nextOf = (periods: readonly ConfigurationPeriod[], now = new Date()): ConfigurationPeriod[] =>
  periods
    .filter(({ activeFrom }) => activeFrom && timestampDate(activeFrom) > now)
    .sort((a, b) => Number(a.activeFrom!.seconds - b.activeFrom!.seconds));

/** Words for a period that has not ended, such as `Live: v4` or `Next: v5 on 1 Dec 2026, 09:00`. */
export function periodWords(period: ConfigurationPeriod, timeZone: string): string {
  const { from, until } = periodOf(period);
  const { version, live } = period;
  if (!live) return t('Next: v{version} on {start}', { version, start: formatMoment(from!, timeZone) });
  return until
    ? t('Live: v{version} until {end}', { version, end: formatMoment(until, timeZone) })
    : t('Live: v{version}', { version });
}

/** The live version and the next one; `Ended` without either. */
export function statesOf({ periods }: Pick<ConfigurationSummary, 'periods'>, timeZone: string) {
  const shown = [periods.find(({ live }) => live), nextOf(periods)[0]].filter((one) => one !== undefined);
  if (shown.length === 0) return [{ label: t('Ended'), color: 'gray' }];
  return shown.map((one) => ({ label: periodWords(one, timeZone), color: one.live ? 'green' : 'blue' }));
}

/** Whether a period overlaps an interval. */
export const overlaps = ({ from, until }: Period, start: Date, end: Date): boolean =>
  (!from || from < end) && (!until || until > start);
