import { UnstyledButton } from '@mantine/core';
import { seriesColorVariable } from '../kit/colors.ts';
import { formatClock, formatMoment } from '../kit/format.ts';
import { Snippet } from '../kit/snippet.tsx';
import classes from './events.module.css';
import { itemIdOf, type LiveEvent, textOf } from './live-events.ts';
import { text } from './text.ts';

/** Families of types, each in a colour of its own. */
const families: [pattern: RegExp, color: number][] = [
  [/purchase|cart|subscription/, 2],
  [/click/, 1],
  [/impression|open/, 8],
];

export function typeColor(type: string): string {
  const [, color] = families.find(([pattern]) => pattern.test(type)) ?? [undefined, 0];
  return seriesColorVariable(color);
}

/** e.g. `detail pageview`. */
export const typeWords = (type: string): string => type.replaceAll('_', ' ');

type EventRowProps = { event: LiveEvent; isOpen: boolean; onToggle(): void };

export function EventRow({ event, isOpen, onToggle }: EventRowProps) {
  const { document, time, isRobot, title } = event;
  const type = textOf(document.event_type);
  return (
    <li>
      <UnstyledButton className={classes.row} aria-expanded={isOpen} onClick={onToggle}>
        <span className="quiet numbers" title={time && formatMoment(time)}>
          {time && formatClock(time)}
        </span>
        <span className={classes.cell}>
          <span className={classes.kind} style={{ background: typeColor(type) }} aria-hidden />
          {typeWords(type)}
          {isRobot && <span className="quiet"> · {text.robot}</span>}
        </span>
        <span className={`${classes.cell} ${classes.second} quiet`}>
          <bdi>{textOf(document.user_id) || textOf(document.device_id)}</bdi>
        </span>
        <span className={`${classes.cell} ${classes.second}`}>
          <bdi>{title || itemIdOf(document)}</bdi>
        </span>
        <span className={`${classes.cell} ${classes.second} quiet`}>{textOf(document.page_type)}</span>
      </UnstyledButton>
      {isOpen && (
        <div className={classes.details}>
          <Snippet label={text.copy} code={JSON.stringify(document, null, 2)} />
        </div>
      )}
    </li>
  );
}
