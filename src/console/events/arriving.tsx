import { Badge, Button, Group, Paper, Skeleton, Text } from '@mantine/core';
import { Pause, Play, Radio } from 'lucide-react';
import { useMemo, useState } from 'react';
import { Empty } from '../kit/empty.tsx';
import { ErrorNotice } from '../kit/error-notice.tsx';
import { formatCounted } from '../kit/format.ts';
import { useAddress } from '../service/address.ts';
import { EventRow } from './event-row.tsx';
import classes from './events.module.css';
import { FilterBar } from './filter-bar.tsx';
import { type Filter, useLiveEvents } from './live-events.ts';
import { text } from './text.ts';

/** The latest events, on top; nothing moves while one reads one of them. */
export function Arriving() {
  const { values, set } = useAddress<keyof Filter>();
  const { types = '', visitor = '', item = '', page = '' } = values;
  const filter = useMemo(
    () => ({ types: types === '' ? [] : types.split(','), visitor, item, page }),
    [types, visitor, item, page],
  );
  const [open, setOpen] = useState<number>();
  const [isHeld, setHeld] = useState(false);
  const { data, error, refetch } = useLiveEvents(filter, isHeld || open !== undefined);
  const isFiltered = [types, visitor, item, page].some((value) => value !== '');
  const change = ({ types: chosen, ...rest }: Partial<Filter>) => {
    setOpen(undefined);
    set({ ...rest, ...(chosen && { types: chosen.join(',') }) });
  };
  return (
    <section aria-label={text.arriving}>
      <FilterBar filter={filter} onChange={change} />
      <Group justify="space-between" mb="xs" mih={30}>
        <Text size="xs" className="quiet numbers">
          {data && formatCounted(data.events.length, 'event')}
          {data?.isLeftOut && ` · ${text.leftOut}`}
        </Text>
        <Hold isHeld={isHeld} isReading={open !== undefined} onChange={setHeld} />
      </Group>
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {!data && !error && <Skeleton h={420} role="status" aria-label="Loading" />}
      {data?.events.length === 0 && (
        <Empty icon={Radio} title={isFiltered ? text.none : text.empty}>
          {isFiltered ? text.noneLead : text.emptyLead}
        </Empty>
      )}
      {data && data.events.length > 0 && (
        <Paper style={{ overflow: 'hidden' }}>
          <ul className={classes.rows}>
            {data.events.map((event) => (
              <EventRow
                key={event.key}
                event={event}
                isOpen={open === event.key}
                onToggle={() => setOpen(open === event.key ? undefined : event.key)}
              />
            ))}
          </ul>
        </Paper>
      )}
    </section>
  );
}

type HoldProps = { isHeld: boolean; isReading: boolean; onChange(isHeld: boolean): void };

function Hold({ isHeld, isReading, onChange }: HoldProps) {
  const state = isHeld ? text.held : isReading ? text.heldByRow : text.live;
  return (
    <Group gap="xs">
      <Badge variant="dot" color={isHeld || isReading ? 'gray' : 'green'} tt="none" role="status">
        {state}
      </Badge>
      <Button
        size="compact-sm"
        variant="default"
        leftSection={isHeld ? <Play size={13} aria-hidden /> : <Pause size={13} aria-hidden />}
        onClick={() => onChange(!isHeld)}
      >
        {isHeld ? text.goOn : text.hold}
      </Button>
    </Group>
  );
}
