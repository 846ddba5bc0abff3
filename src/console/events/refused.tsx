import { useQuery } from '@connectrpc/connect-query';
import { Paper, Skeleton, Text, UnstyledButton } from '@mantine/core';
import { CircleCheck } from 'lucide-react';
import { useState } from 'react';
import { EventService, type RefusedEvent } from '../../../gen/es/personalisation/v1/event_service_pb.js';
import { Empty } from '../kit/empty.tsx';
import { ErrorNotice } from '../kit/error-notice.tsx';
import { formatAgo, formatCounted } from '../kit/format.ts';
import { Snippet } from '../kit/snippet.tsx';
import { momentOf } from '../kit/timestamp.ts';
import { useConsole } from '../service/console-context.ts';
import { typeColor, typeWords } from './event-row.tsx';
import classes from './events.module.css';
import { text } from './text.ts';

const intervalMs = 2_000;

/** What the node that answers has refused, and why. */
export function Refused() {
  const { environment } = useConsole();
  const [open, setOpen] = useState<number>();
  const { data, error, refetch } = useQuery(
    EventService.method.listRefusedEvents,
    { environment: environment.name },
    { refetchInterval: open === undefined && intervalMs },
  );
  if (error) return <ErrorNotice error={error} onRetry={refetch} />;
  if (!data) return <Skeleton h={420} role="status" aria-label="Loading" />;
  const start = momentOf(data.startTime);
  const since = start ? formatAgo(start) : '';
  if (data.events.length === 0)
    return (
      <Empty icon={CircleCheck} title={text.nothingRefused}>
        {text.nothingRefusedLead(since)}
      </Empty>
    );
  return (
    <section aria-label={text.refused}>
      <Text size="sm" className="quiet" mb="sm">
        {text.refusedLead(formatCounted(Number(data.refusedCount), 'event'), since)}
      </Text>
      <Paper style={{ overflow: 'hidden' }}>
        <ul className={classes.rows}>
          {data.events.map((event, place) => {
            /** From the earliest one on, so that an open row stays the same when others come. */
            const key = data.events.length - place;
            return (
              <RefusedRow
                key={key}
                event={event}
                isOpen={open === key}
                onToggle={() => setOpen(open === key ? undefined : key)}
              />
            );
          })}
        </ul>
      </Paper>
    </section>
  );
}

type RefusedRowProps = { event: RefusedEvent; isOpen: boolean; onToggle(): void };

function RefusedRow({ event, isOpen, onToggle }: RefusedRowProps) {
  const { eventType, errors, clientId, json } = event;
  const time = momentOf(event.time);
  return (
    <li>
      <UnstyledButton className={classes.row} data-refused aria-expanded={isOpen} onClick={onToggle}>
        <span className="quiet">{time && formatAgo(time)}</span>
        <span className={classes.cell}>
          <span className={classes.kind} style={{ background: typeColor(eventType) }} aria-hidden />
          {typeWords(eventType) || text.noType}
        </span>
        <span className={`${classes.cell} ${classes.second}`}>
          {errors.map(({ pointer, detail }) => (
            <span key={pointer + detail} style={{ display: 'block' }}>
              <span className="mark">{pointer.slice(1)}</span> {detail}
            </span>
          ))}
        </span>
        <span className={`${classes.cell} ${classes.second} quiet`}>
          <span className="mark">{clientId || text.anonymous}</span>
        </span>
      </UnstyledButton>
      {isOpen && (
        <div className={classes.details}>
          <Snippet label={text.copy} code={JSON.stringify(JSON.parse(json), null, 2)} />
        </div>
      )}
    </li>
  );
}
