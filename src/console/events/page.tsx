import { Badge, Button, Group, MultiSelect, Paper, SimpleGrid } from '@mantine/core';
import { useMemo, useState } from 'react';
import { EventTypeSchema } from '../../../gen/es/personalisation/v1/event_pb.js';
import { EventService } from '../../../gen/es/personalisation/v1/event_service_pb.js';
import { LateInput, ViewSwitch } from '../kit/fields.tsx';
import { formatAgo, formatCounted, momentOf } from '../kit/format.ts';
import { CircleCheck, Pause, Play, Radio } from '../kit/icons.ts';
import { Empty, ErrorNotice, Hint, Loading, PageFrame } from '../kit/page.tsx';
import { useRead } from '../kit/queries.ts';
import { Ago } from '../kit/table.tsx';
import { useAddress } from '../service/address.ts';
import { t } from '../texts/texts.ts';
import { EventRow, EventType, OpenableRow, typeWords } from './event-row.tsx';
import classes from './events.module.css';
import { type Filter, useLiveEvents } from './live-events.ts';

const views = { arriving: t('Incoming'), refused: t('Refused') };

export function Page() {
  const { values } = useAddress<'view'>();
  return (
    <PageFrame title={t('Events')} lead={t('Incoming events, and refused events with the reason.')}>
      <ViewSwitch views={views} />
      {values.view === 'refused' ? <Refused /> : <Incoming />}
    </PageFrame>
  );
}

const types = EventTypeSchema.values
  .filter(({ number }) => number !== 0)
  .map(({ name }) => name.slice('EVENT_TYPE_'.length).toLowerCase())
  .map((value) => ({ value, label: typeWords(value) }))
  .sort((a, b) => a.label.localeCompare(b.label));

/** Latest events, newest first; paused while a row is open. */
function Incoming() {
  const { values, set } = useAddress<keyof Filter>();
  const { types: chosen = '', visitor = '', item = '', page = '' } = values;
  const filter = useMemo(
    () => ({ types: chosen === '' ? [] : chosen.split(','), visitor, item, page }),
    [chosen, visitor, item, page],
  );
  const [open, setOpen] = useState<number>();
  const [isPaused, setPaused] = useState(false);
  const { data, error, refetch } = useLiveEvents(filter, isPaused || open !== undefined);
  const isFiltered = [chosen, visitor, item, page].some((value) => value !== '');
  const change = (changes: Partial<Record<keyof Filter, string>>) => {
    setOpen(undefined);
    set(changes);
  };
  return (
    <section aria-label={t('Incoming')}>
      <FilterBar filter={filter} onChange={change} />
      <Group justify="space-between" mb="xs" mih={30}>
        <Hint className="numbers">
          {data && formatCounted(data.events.length, 'event')}
          {data?.isTruncated && t(' · Some earlier events are not shown, because too many arrived at once.')}
        </Hint>
        <PauseButton isPaused={isPaused} isReading={open !== undefined} onChange={setPaused} />
      </Group>
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {!data && !error && <Loading h={420} />}
      {data?.events.length === 0 && (
        <Empty icon={Radio} title={isFiltered ? t('No matching events') : t('No events yet')}>
          {isFiltered
            ? t('New matching events appear here. Remove a filter to see others.')
            : t('Send an event with POST. It appears here within two seconds.')}
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

type FilterBarProps = { filter: Filter; onChange(changes: Partial<Record<keyof Filter, string>>): void };

function FilterBar({ filter, onChange }: FilterBarProps) {
  return (
    <SimpleGrid cols={{ base: 2, lg: 4 }} spacing="sm" mb="md">
      <MultiSelect
        label={t('Types')}
        placeholder={filter.types.length === 0 ? t('All types') : ''}
        data={types}
        value={filter.types}
        onChange={(next) => onChange({ types: next.join(',') })}
        searchable
        clearable
        hidePickedOptions
        clearButtonProps={{ 'aria-label': t('Clear types') }}
      />
      <LateInput
        label={t('User or device')}
        value={filter.visitor}
        onChange={(visitor) => onChange({ visitor })}
      />
      <LateInput label={t('Item ID')} value={filter.item} onChange={(item) => onChange({ item })} />
      <LateInput label={t('Page type')} value={filter.page} onChange={(page) => onChange({ page })} />
    </SimpleGrid>
  );
}

type PauseButtonProps = { isPaused: boolean; isReading: boolean; onChange(isPaused: boolean): void };

function PauseButton({ isPaused, isReading, onChange }: PauseButtonProps) {
  const Icon = isPaused ? Play : Pause;
  const state = isPaused ? t('Paused') : isReading ? t('Paused while a row is open') : t('Live');
  return (
    <Group gap="xs">
      <Badge variant="dot" color={isPaused || isReading ? 'gray' : 'green'} role="status">
        {state}
      </Badge>
      <Button size="compact-sm" leftSection={<Icon size={13} />} onClick={() => onChange(!isPaused)}>
        {isPaused ? t('Resume') : t('Pause')}
      </Button>
    </Group>
  );
}

const intervalMs = 2_000;

/** Events that the answering node refused, with the reasons. */
function Refused() {
  const [open, setOpen] = useState<number>();
  const { data, error, refetch } = useRead(
    EventService.method.listRefusedEvents,
    {},
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
                  <Ago time={time} />
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
