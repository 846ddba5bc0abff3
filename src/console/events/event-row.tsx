import { UnstyledButton } from '@mantine/core';
import type { ReactNode } from 'react';
import { greyIndex, seriesColorVariable } from '../kit/colors.ts';
import { formatClock, formatMoment } from '../kit/format.ts';
import { Snippet } from '../kit/snippet.tsx';
import { t } from '../texts/texts.ts';
import classes from './events.module.css';
import { itemIdOf, type LiveEvent, textOf } from './live-events.ts';

/** Colours by kind of event. */
const kinds: [pattern: RegExp, color: number][] = [
  [/purchase|cart|subscription/, 2],
  [/click/, 1],
  [/impression|open/, greyIndex],
  [/./, 0],
];

/** e.g. `detail pageview`. */
export const typeWords = (type: string): string => type.replaceAll('_', ' ');

export function EventType({ type, children }: { type: string; children?: ReactNode }) {
  const [, color] = kinds.find(([pattern]) => pattern.test(type)) ?? kinds.at(-1)!;
  return (
    <span className={classes.cell}>
      <span className={classes.kind} style={{ background: seriesColorVariable(color) }} aria-hidden />
      {typeWords(type) || t('no type')}
      {children}
    </span>
  );
}

type OpenableRowProps = {
  isOpen: boolean;
  onToggle(): void;
  isRefused?: boolean;
  document: unknown;
  /** Cells of the row. */
  children: ReactNode;
};

export function OpenableRow({ isOpen, onToggle, isRefused, document, children }: OpenableRowProps) {
  return (
    <li>
      <UnstyledButton
        className={classes.row}
        data-refused={isRefused}
        aria-expanded={isOpen}
        onClick={onToggle}
      >
        {children}
      </UnstyledButton>
      {isOpen && (
        <div className={classes.details}>
          <Snippet label={t('event')} code={JSON.stringify(document, null, 2)} />
        </div>
      )}
    </li>
  );
}

type EventRowProps = { event: LiveEvent; isOpen: boolean; onToggle(): void };

export function EventRow({ event: { document, time, isRobot, title }, isOpen, onToggle }: EventRowProps) {
  return (
    <OpenableRow isOpen={isOpen} onToggle={onToggle} document={document}>
      <span className="quiet numbers" title={time && formatMoment(time)}>
        {time && formatClock(time)}
      </span>
      <EventType type={textOf(document.event_type)}>
        {isRobot && <span className="quiet"> {t('· robot')}</span>}
      </EventType>
      <span className={`${classes.cell} ${classes.second} quiet`}>
        <bdi>{textOf(document.user_id) || textOf(document.device_id)}</bdi>
      </span>
      <span className={`${classes.cell} ${classes.second}`}>
        <bdi>{title || itemIdOf(document)}</bdi>
      </span>
      <span className={`${classes.cell} ${classes.second} quiet`}>{textOf(document.page_type)}</span>
    </OpenableRow>
  );
}
