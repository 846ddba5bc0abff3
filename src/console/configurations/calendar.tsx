import { ActionIcon, Group, Paper, Title } from '@mantine/core';
import type { ConfigurationSummary } from '../../../gen/es/personalisation/v1/configuration_service_pb.js';
import { dayMs, localOf } from '../../ranking/runtime/time-zones.ts';
import { formatMoment, formatMonth } from '../kit/format.ts';
import { CalendarDays, ChevronLeft, ChevronRight } from '../kit/icons.ts';
import { Empty, Hint, PageLink } from '../kit/page.tsx';
import { useAddress } from '../service/address.ts';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';
import classes from './calendar.module.css';
import { localPeriodOf, overlaps, type Period, periodOf } from './schedule.ts';

/**
 * Schedules of all versions that are live or will be, by month. Its dates are local times of the
 * environment, as if in UTC.
 */
export function Calendar({ summaries }: { summaries: readonly ConfigurationSummary[] }) {
  const { values, set } = useAddress<'month'>();
  const { timeZone } = useConsole().environment;
  const now = new Date(localOf(Date.now(), timeZone));
  const month = monthOf(values.month, now);
  const next = monthAfter(month, 1);
  const go = (by: number) => set({ month: monthAfter(month, by).toISOString().slice(0, 7) });
  const scheduled = summaries.flatMap(({ configurationId, periods }) =>
    periods.flatMap((one) => {
      const period = periodOf(one);
      const isScheduled = period.from !== undefined || period.until !== undefined;
      const shown = localPeriodOf(period, timeZone);
      const isShown = isScheduled && overlaps(shown, month, next);
      return isShown ? [{ configurationId, version: one.version, period, shown }] : [];
    }),
  );
  return (
    <Paper style={{ overflow: 'hidden' }} component="section" aria-label={t('Calendar')}>
      <Group justify="space-between" px="md" py="xs">
        <Title order={2} aria-live="polite">
          {formatMonth(month)}
        </Title>
        <Group gap={4}>
          <ActionIcon aria-label={t('Previous month')} onClick={() => go(-1)}>
            <ChevronLeft size={15} />
          </ActionIcon>
          <ActionIcon aria-label={t('Next month')} onClick={() => go(1)}>
            <ChevronRight size={15} />
          </ActionIcon>
        </Group>
      </Group>
      <Days month={month} count={(next.getTime() - month.getTime()) / dayMs} now={now} />
      {scheduled.map((one) => (
        <Row key={`${one.version} ${one.configurationId}`} {...one} month={month} next={next} />
      ))}
      {scheduled.length === 0 && (
        <Empty icon={CalendarDays} title={t('No schedules this month')}>
          {t('Rule sets with a start or end date appear here. Rule sets without one are always live.')}
        </Empty>
      )}
    </Paper>
  );
}

const monthAfter = (date: Date, count: number): Date =>
  new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + count));

/** Reads e.g. `2026-11`; returns the current month for other text. */
function monthOf(name: string | undefined, now: Date): Date {
  const [, year, month] = /^(\d{4})-(\d{2})$/.exec(name ?? '') ?? [];
  return year ? new Date(Date.UTC(Number(year), Number(month) - 1)) : monthAfter(now, 0);
}

/** Days of the month; narrow windows show every seventh number. */
function Days({ month, count, now }: { month: Date; count: number; now: Date }) {
  return (
    <div className={classes.month} style={{ ['--days' as string]: count }} aria-hidden>
      {Array.from({ length: count }, (_, i) => {
        const day = new Date(month.getTime() + i * dayMs);
        return (
          <div
            key={day.getTime()}
            className={classes.day}
            data-week={i % 7 === 0 || undefined}
            data-weekend={[0, 6].includes(day.getUTCDay()) || undefined}
            data-today={Math.floor(now.getTime() / dayMs) * dayMs === day.getTime() || undefined}
          >
            {i + 1}
          </div>
        );
      })}
    </div>
  );
}

type RowProps = {
  configurationId: string;
  version: number;
  period: Period;
  shown: Period;
  month: Date;
  next: Date;
};

function Row({ configurationId, version, period: { from, until }, shown, month, next }: RowProps) {
  const length = next.getTime() - month.getTime();
  const start = Math.max(shown.from?.getTime() ?? 0, month.getTime());
  const end = Math.min(shown.until?.getTime() ?? next.getTime(), next.getTime());
  const share = (ms: number) => `${(100 * (ms - month.getTime())) / length}%`;
  const { timeZone } = useConsole().environment;
  const [first, last] = [from, until].map((moment) => moment && formatMoment(moment, timeZone));
  return (
    <div className={classes.row}>
      <Group className={classes.label} gap="xs" justify="space-between">
        <PageLink to={`configurations/${encodeURIComponent(configurationId)}`}>
          <bdi>{configurationId}</bdi>
        </PageLink>
        <Hint>
          {first && last
            ? t('v{version} from {first} until {last}', { version, first, last })
            : first
              ? t('v{version} from {first}', { version, first })
              : t('v{version} until {last}', { version, last })}
        </Hint>
      </Group>
      <div
        className={classes.bar}
        data-open-start={start === month.getTime() || undefined}
        data-open-end={end === next.getTime() || undefined}
        data-ended={(until !== undefined && until.getTime() <= Date.now()) || undefined}
        style={{
          marginInlineStart: share(start),
          width: `max(6px, ${(100 * Math.max(end - start, dayMs / 24)) / length}%)`,
        }}
      />
    </div>
  );
}
