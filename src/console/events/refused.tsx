import { useQuery } from '@connectrpc/connect-query';
import { Paper } from '@mantine/core';
import { useState } from 'react';
import { EventService } from '../../../gen/es/personalisation/v1/event_service_pb.js';
import { formatAgo, formatCounted, momentOf } from '../kit/format.ts';
import { CircleCheck } from '../kit/icons.ts';
import { Empty, ErrorNotice, Hint, Loading } from '../kit/page.tsx';
import { Ago } from '../kit/table.tsx';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';
import { EventType, OpenableRow } from './event-row.tsx';
import classes from './events.module.css';

const intervalMs = 2_000;

/** Events that the answering node refused, with the reasons. */
export function Refused() {
  const { environment } = useConsole();
  const [open, setOpen] = useState<number>();
  const { data, error, refetch } = useQuery(
    EventService.method.listRefusedEvents,
    { environment: environment.name },
    { refetchInterval: open === undefined && intervalMs },
  );
  if (error) return <ErrorNotice error={error} onRetry={refetch} />;
  if (!data) return <Loading h={420} />;
  const start = momentOf(data.startTime);
  const since = start ? formatAgo(start) : '';
  if (data.events.length === 0)
    return (
      <Empty icon={CircleCheck} title={t('No refused events')}>
        {t(
          'The node that answers has refused no event since it started, {since}. Refused events appear here with the reason.',
          { since },
        )}
      </Empty>
    );
  return (
    <section aria-label={t('Refused')}>
      <Hint size="sm" mb="sm">
        {t(
          '{refusedCount} refused since this node started, {since}. The node keeps the latest 200, without user and device IDs.',
          { refusedCount: formatCounted(Number(data.refusedCount), 'event'), since },
        )}
      </Hint>
      <Paper style={{ overflow: 'hidden' }}>
        <ul className={classes.rows}>
          {data.events.map(({ eventType, errors, clientId, json, time }, index) => {
            /** Counted from the earliest, so that an open row stays open when others arrive. */
            const key = data.events.length - index;
            return (
              <OpenableRow
                key={key}
                isOpen={open === key}
                onToggle={() => setOpen(open === key ? undefined : key)}
                isRefused
                document={JSON.parse(json)}
              >
                <span className="quiet">
                  <Ago time={momentOf(time)} />
                </span>
                <EventType type={eventType} />
                <span className={`${classes.cell} ${classes.second}`}>
                  {errors.map(({ pointer, detail }) => (
                    <span key={pointer + detail} style={{ display: 'block' }}>
                      <span className="mark">{pointer.slice(1)}</span> {detail}
                    </span>
                  ))}
                </span>
                <span className={`${classes.cell} ${classes.second} quiet mark`}>
                  {clientId || t('without a token')}
                </span>
              </OpenableRow>
            );
          })}
        </ul>
      </Paper>
    </section>
  );
}
