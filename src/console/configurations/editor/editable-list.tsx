import { ActionIcon, Group, Text, Tooltip, UnstyledButton } from '@mantine/core';
import { type ReactNode, useRef } from 'react';
import { flushSync } from 'react-dom';
import type { Json } from '../../grammar/document.ts';
import {
  ArrowDown,
  ArrowUp,
  CircleAlert,
  Copy,
  type Icon,
  OpenArrow,
  Trash2,
  TriangleAlert,
} from '../../kit/icons.ts';
import { t } from '../../texts/texts.ts';
import classes from './editor.module.css';
import type { Finding } from './use-findings.ts';

export type EntryName = 'rule' | 'preference' | 'row';
export type EntryTexts = { badge: string; words: string; note: string };

type EditableListProps = {
  name: EntryName;
  entries: Json[];
  empty: string;
  open: number | undefined;
  onOpen(index: number | undefined): void;
  onChange(entries: Json[]): void;
  findingsOf(index: number): Finding[];
  textsOf(entry: Json): EntryTexts;
  renderFields(entry: Json, index: number): ReactNode;
};

/** Entries in words; one is open for editing. */
export function EditableList(props: EditableListProps) {
  const { name, entries, empty, open, onOpen, onChange, findingsOf, textsOf, renderFields } = props;
  const isFresh = useFresh(entries, open);
  const list = useRef<HTMLOListElement>(null);
  const emptyText = useRef<HTMLParagraphElement>(null);
  /** Moves an entry with the focus; at an end of the list, focuses its summary. */
  const move = (index: number, by: number) => {
    flushSync(() => {
      onChange(entries.toSpliced(index, 1).toSpliced(index + by, 0, entries[index]));
      onOpen(index + by);
    });
    const moved = list.current?.children[index + by];
    const same = moved?.querySelector<HTMLElement>(`button[data-by="${by}"]:enabled`);
    (same ?? moved?.querySelector<HTMLElement>('button'))?.focus();
  };
  /** Removes an entry and focuses the next one, or the last. */
  const remove = (index: number) => {
    flushSync(() => {
      onChange(entries.toSpliced(index, 1));
      onOpen(undefined);
    });
    const next = list.current?.children[Math.min(index, entries.length - 2)];
    (next?.querySelector<HTMLElement>('button') ?? emptyText.current)?.focus();
  };
  if (entries.length === 0) {
    return (
      <Text size="sm" className="quiet" py="xs" ref={emptyText} tabIndex={-1}>
        {empty}
      </Text>
    );
  }
  return (
    <ol className={classes.rules} ref={list}>
      {entries.map((entry, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: entries have no id
        <li key={index} className={classes.rule}>
          <Summary
            texts={textsOf(entry)}
            isOpen={open === index}
            onToggle={() => onOpen(open === index ? undefined : index)}
          />
          <FindingLines findings={isFresh(index) ? [] : findingsOf(index)} />
          {open === index && (
            <div className={classes.fields}>
              {renderFields(entry, index)}
              <Actions
                name={name}
                isFirst={index === 0}
                isLast={index === entries.length - 1}
                onMove={(by) => move(index, by)}
                onCopy={() => onChange(entries.toSpliced(index, 0, entry))}
                onDelete={() => remove(index)}
              />
            </div>
          )}
        </li>
      ))}
    </ol>
  );
}

/** Returns whether the open entry was added and not changed since: its faults are not shown yet. */
function useFresh(entries: readonly Json[], open: number | undefined) {
  const count = useRef(entries.length);
  const added = useRef<string>(undefined);
  if (entries.length > count.current && open !== undefined) added.current = JSON.stringify(entries[open]);
  count.current = entries.length;
  return (index: number): boolean => index === open && JSON.stringify(entries[index]) === added.current;
}

type SummaryProps = { texts: EntryTexts; isOpen: boolean; onToggle(): void };

function Summary({ texts: { badge, words, note }, isOpen, onToggle }: SummaryProps) {
  return (
    <UnstyledButton className={classes.summary} onClick={onToggle} aria-expanded={isOpen}>
      <OpenArrow isOpen={isOpen} size={15} />
      <span className={classes.limit}>{badge}</span>
      <span style={{ minWidth: 0, flex: 1 }}>
        <Text size="sm" component="span" display="block" style={{ overflowWrap: 'anywhere' }}>
          <bdi>{words}</bdi>
        </Text>
        {note && !isOpen && (
          <Text size="xs" className="quiet clamp-1" component="span">
            {note}
          </Text>
        )}
      </span>
    </UnstyledButton>
  );
}

type ActionsProps = {
  name: EntryName;
  isFirst: boolean;
  isLast: boolean;
  onMove(by: number): void;
  onCopy(): void;
  onDelete(): void;
};

function Actions({ name: entry, isFirst, isLast, onMove, onCopy, onDelete }: ActionsProps) {
  const name = t(entry);
  const up = { icon: ArrowUp, by: -1, isDisabled: isFirst, onClick: () => onMove(-1) };
  const down = { icon: ArrowDown, by: 1, isDisabled: isLast, onClick: () => onMove(1) };
  return (
    <Group gap={4} mt="sm" justify="flex-end">
      <Action label={t('Move the {name} up', { name })} {...up} />
      <Action label={t('Move the {name} down', { name })} {...down} />
      <Action label={t('Copy the {name}', { name })} icon={Copy} onClick={onCopy} />
      <Action label={t('Delete the {name}', { name })} icon={Trash2} onClick={onDelete} />
    </Group>
  );
}

type ActionProps = { label: string; icon: Icon; by?: number; isDisabled?: boolean; onClick(): void };

/** @param by Direction, by which the focus finds the button again. */
function Action({ label, icon: Icon, by, isDisabled, onClick }: ActionProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={label}
        data-by={by}
        disabled={isDisabled}
        onClick={onClick}
      >
        <Icon size={15} />
      </ActionIcon>
    </Tooltip>
  );
}

function FindingLines({ findings }: { findings: Finding[] }) {
  if (findings.length === 0) return null;
  return (
    <ul style={{ margin: 0, padding: '0 12px 10px 36px', listStyle: 'none' }}>
      {findings.map(({ pointer, detail, isFault }) => {
        const Icon = isFault ? CircleAlert : TriangleAlert;
        return (
          <li key={pointer + detail}>
            <Group gap={6} wrap="nowrap" align="flex-start">
              <Icon
                size={14}
                color={isFault ? 'var(--down)' : 'var(--warn)'}
                style={{ flexShrink: 0, marginTop: 3 }}
                aria-label={isFault ? t('Fault') : t('Warning')}
              />
              <Text size="xs" style={{ overflowWrap: 'anywhere' }}>
                {detail}
              </Text>
            </Group>
          </li>
        );
      })}
    </ul>
  );
}
