import { UnstyledButton } from '@mantine/core';
import { seriesColorVariable } from '../kit/colors.ts';
import { formatClock, formatMoment } from '../kit/format.ts';
import type { ItemLookup } from '../kit/items.ts';
import { Snippet } from '../kit/snippet.tsx';
import classes from './events.module.css';
import type { EventDocument, LiveEvent } from './live-events.ts';
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

const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

export const itemIdOf = ({ action_item, action_group }: EventDocument): string =>
  textOf(action_item) || textOf(action_group);

type EventRowProps = { event: LiveEvent; lookUp: ItemLookup; isOpen: boolean; onToggle(): void };

export function EventRow({ event, lookUp, isOpen, onToggle }: EventRowProps) {
  const { document, time, isRobot } = event;
  const type = textOf(document.event_type);
  const itemId = itemIdOf(document);
  const item = itemId === '' ? undefined : lookUp({ itemId });
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
          <bdi>{item?.title ?? itemId}</bdi>
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
