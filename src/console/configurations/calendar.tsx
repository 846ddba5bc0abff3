import { ActionIcon, Anchor, Group, Paper, Text, Title } from '@mantine/core';
import { CalendarDays, ChevronLeft, ChevronRight } from 'lucide-react';
import { Link } from 'wouter';
import type { Configuration } from '../../../gen/es/personalisation/v1/configuration_pb.js';
import { Empty } from '../kit/empty.tsx';
import { formatMoment, formatMonth } from '../kit/format.ts';
import { useAddress } from '../service/address.ts';
import { useConsole } from '../service/console-context.ts';
import classes from './calendar.module.css';
import { text } from './editor/text.ts';
import { type Period, periodIn, periodOf } from './schedule.ts';

/** When scheduled configurations are in force, a month at a time. */
export function Calendar({ configurations }: { configurations: readonly Configuration[] }) {
  const { values, set } = useAddress<'month'>();
  const month = monthOf(values.month);
  const next = new Date(month.getFullYear(), month.getMonth() + 1);
  const go = (by: number) => set({ month: monthName(new Date(month.getFullYear(), month.getMonth() + by)) });
  const scheduled = configurations.flatMap((configuration) => {
    const period = periodOf(configuration);
    return period && periodIn(period, month, next) ? [{ configuration, period }] : [];
  });
  return (
    <Paper style={{ overflow: 'hidden' }} component="section" aria-label={text.calendar}>
      <Group justify="space-between" px="md" py="xs">
        <Title order={2} aria-live="polite">
          {formatMonth(month)}
        </Title>
        <Group gap={4}>
          <ActionIcon variant="default" aria-label={text.monthBefore} onClick={() => go(-1)}>
            <ChevronLeft size={15} aria-hidden />
          </ActionIcon>
          <ActionIcon variant="default" aria-label={text.monthAfter} onClick={() => go(1)}>
            <ChevronRight size={15} aria-hidden />
          </ActionIcon>
        </Group>
      </Group>
      <Days month={month} count={dayCount(month)} />
      {scheduled.map(({ configuration, period }) => (
        <Row
          key={configuration.configurationId}
          configurationId={configuration.configurationId ?? ''}
          period={period}
          month={month}
          next={next}
        />
      ))}
      {scheduled.length === 0 && (
        <Empty icon={CalendarDays} title={text.noSchedule}>
          {text.noScheduleLead}
        </Empty>
      )}
    </Paper>
  );
}

const dayMs = 86_400_000;

const dayCount = (month: Date): number => new Date(month.getFullYear(), month.getMonth() + 1, 0).getDate();

/** e.g. `2026-11`; this month for anything else. */
function monthOf(name: string | undefined): Date {
  const [, year, month] = /^(\d{4})-(\d{2})$/.exec(name ?? '') ?? [];
  const now = new Date();
  return year ? new Date(Number(year), Number(month) - 1) : new Date(now.getFullYear(), now.getMonth());
}

const monthName = (month: Date): string =>
  `${month.getFullYear()}-${String(month.getMonth() + 1).padStart(2, '0')}`;

/** Days of the month; narrow windows write each seventh. */
function Days({ month, count }: { month: Date; count: number }) {
  const today = new Date().toDateString();
  return (
    <div className={classes.month} style={{ ['--days' as string]: count }} aria-hidden>
      {Array.from({ length: count }, (_, i) => {
        const day = new Date(month.getFullYear(), month.getMonth(), i + 1);
        return (
          <div
            key={day.getTime()}
            className={classes.day}
            data-week={i % 7 === 0 || undefined}
            data-weekend={[0, 6].includes(day.getDay()) || undefined}
            data-today={day.toDateString() === today || undefined}
          >
            {i + 1}
          </div>
        );
      })}
    </div>
  );
}

type RowProps = { configurationId: string; period: Period; month: Date; next: Date };

function Row({ configurationId, period: { from, until }, month, next }: RowProps) {
  const { pathTo } = useConsole();
  const length = next.getTime() - month.getTime();
  const start = Math.max(from?.getTime() ?? 0, month.getTime());
  const end = Math.min(until?.getTime() ?? next.getTime(), next.getTime());
  const share = (ms: number) => `${(100 * (ms - month.getTime())) / length}%`;
  const words = [from && text.from(formatMoment(from)), until && text.until(formatMoment(until))];
  return (
    <div className={classes.row}>
      <Group className={classes.label} gap="xs" justify="space-between">
        <Anchor
          component={Link}
          href={pathTo(`configurations/${encodeURIComponent(configurationId)}`)}
          className="row-link"
          size="sm"
        >
          <bdi>{configurationId}</bdi>
        </Anchor>
        <Text size="xs" className="quiet">
          {words.filter(Boolean).join(' ')}
        </Text>
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
