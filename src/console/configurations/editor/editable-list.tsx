import { ActionIcon, Group, Text, Tooltip, UnstyledButton } from '@mantine/core';
import {
  ArrowDown,
  ArrowUp,
  ChevronDown,
  ChevronRight,
  CircleAlert,
  Copy,
  Trash2,
  TriangleAlert,
} from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import { flushSync } from 'react-dom';
import type { Json } from '../../grammar/document.ts';
import classes from './editor.module.css';
import type { Finding } from './use-findings.ts';

type EditableListProps = {
  /** What an entry is called. */
  name: string;
  entries: Json[];
  empty: string;
  /** The entry whose fields are shown. */
  open: number | undefined;
  onOpen(place: number | undefined): void;
  onChange(entries: Json[]): void;
  findingsOf(place: number): Finding[];
  badgeOf(entry: Json): string;
  wordsOf(entry: Json): string;
  noteOf(entry: Json): string;
  renderFields(entry: Json, place: number): ReactNode;
};

/** Entries in words, one of them open to be edited. */
export function EditableList(props: EditableListProps) {
  const { name, entries, empty, open, onOpen, onChange, findingsOf, badgeOf, wordsOf, noteOf } = props;
  const list = useRef<HTMLOListElement>(null);
  const none = useRef<HTMLParagraphElement>(null);
  /** The keyboard goes along, so that one can move it on; at an end to what opens it. */
  const move = (place: number, by: number) => {
    const next = [...entries];
    next.splice(place + by, 0, ...next.splice(place, 1));
    flushSync(() => {
      onChange(next);
      onOpen(place + by);
    });
    const moved = list.current?.children[place + by];
    const way = `button[data-way="${by}"]:enabled`;
    (moved?.querySelector<HTMLElement>(way) ?? moved?.querySelector<HTMLElement>('button'))?.focus();
  };
  /** The keyboard goes to what has come in its place, or stands before it. */
  const remove = (place: number) => {
    flushSync(() => {
      onChange(entries.toSpliced(place, 1));
      onOpen(undefined);
    });
    const next = list.current?.children[Math.min(place, entries.length - 2)];
    (next?.querySelector<HTMLElement>('button') ?? none.current)?.focus();
  };
  if (entries.length === 0) {
    return (
      <Text size="sm" className="quiet" py="xs" ref={none} tabIndex={-1}>
        {empty}
      </Text>
    );
  }
  return (
    <ol className={classes.rules} ref={list}>
      {entries.map((entry, place) => {
        const isOpen = open === place;
        const note = noteOf(entry);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: an entry is its place
          <li key={place} className={classes.rule}>
            <UnstyledButton
              className={classes.summary}
              onClick={() => onOpen(isOpen ? undefined : place)}
              aria-expanded={isOpen}
            >
              {isOpen ? <ChevronDown size={15} aria-hidden /> : <ChevronRight size={15} aria-hidden />}
              <span className={classes.limit}>{badgeOf(entry)}</span>
              <span style={{ minWidth: 0, flex: 1 }}>
                <Text size="sm" component="span" display="block" style={{ overflowWrap: 'anywhere' }}>
                  <bdi>{wordsOf(entry)}</bdi>
                </Text>
                {note && !isOpen && (
                  <Text size="xs" className="quiet clamp-1" component="span">
                    {note}
                  </Text>
                )}
              </span>
            </UnstyledButton>
            <FindingLines findings={findingsOf(place)} />
            {isOpen && (
              <div className={classes.fields}>
                {props.renderFields(entry, place)}
                <Group gap={4} mt="sm" justify="flex-end">
                  <Act
                    label={`Move the ${name} up`}
                    way={-1}
                    isOff={place === 0}
                    onClick={() => move(place, -1)}
                  >
                    <ArrowUp size={15} />
                  </Act>
                  <Act
                    label={`Move the ${name} down`}
                    way={1}
                    isOff={place === entries.length - 1}
                    onClick={() => move(place, 1)}
                  >
                    <ArrowDown size={15} />
                  </Act>
                  <Act
                    label={`Copy the ${name}`}
                    onClick={() => onChange(entries.toSpliced(place, 0, entry))}
                  >
                    <Copy size={15} />
                  </Act>
                  <Act label={`Delete the ${name}`} onClick={() => remove(place)}>
                    <Trash2 size={15} />
                  </Act>
                </Group>
              </div>
            )}
          </li>
        );
      })}
    </ol>
  );
}

type ActProps = { label: string; way?: number; isOff?: boolean; onClick(): void; children: ReactNode };

function Act({ label, way, isOff, onClick, children }: ActProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={label}
        data-way={way}
        disabled={isOff}
        onClick={onClick}
      >
        {children}
      </ActionIcon>
    </Tooltip>
  );
}

function FindingLines({ findings }: { findings: Finding[] }) {
  if (findings.length === 0) return null;
  return (
    <ul style={{ margin: 0, padding: '0 12px 10px 36px', listStyle: 'none' }}>
      {findings.map(({ pointer, detail, isFault }) => (
        <li key={pointer + detail}>
          <Group gap={6} wrap="nowrap" align="flex-start">
            {isFault ? (
              <CircleAlert
                size={14}
                color="var(--down)"
                style={{ flexShrink: 0, marginTop: 3 }}
                aria-label="Fault"
              />
            ) : (
              <TriangleAlert
                size={14}
                color="var(--warn)"
                style={{ flexShrink: 0, marginTop: 3 }}
                aria-label="Warning"
              />
            )}
            <Text size="xs" style={{ overflowWrap: 'anywhere' }}>
              {detail}
            </Text>
          </Group>
        </li>
      ))}
    </ul>
  );
}
