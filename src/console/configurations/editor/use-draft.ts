/**
 * What is being edited: one text, which the form reads as a document and the JSON panel shows as it is.
 *
 * A draft survives a reload of the page and a look at another one; it goes when it is published or discarded.
 */

import { useCallback, useMemo, useRef, useState } from 'react';
import { type Document, print } from '../../grammar/document.ts';
import type { StoredDocument } from '../../grammar/stored-documents.ts';

export type Draft = {
  text: string;
  /** Undefined while the text is no JSON object. */
  document?: Document;
  /** Why it is none. */
  fault?: string;
  /** Version that the draft began from; 0 for a new configuration. */
  version: number;
  isChanged: boolean;
  /** What somebody types: steps within a second are undone together. */
  setText(text: string): void;
  setDocument(document: Document): void;
  undo?(): void;
  redo?(): void;
  /** Back to what is stored, or on to what somebody else stored. */
  reset(stored?: StoredDocument): void;
  /** On to what was stored of it; what was changed since that was sent stays. */
  publish(stored: StoredDocument): void;
};

type Kept = {
  texts: string[];
  place: number;
  version: number;
  /** The text of that version. */
  over: string;
};

const typingMs = 1_000;
const mostSteps = 200;

export function useDraft(configurationId: string, stored: StoredDocument): Draft {
  const key = `draft ${configurationId}`;
  const [kept, setKept] = useState<Kept>(() => readKept(key) ?? begin(stored));
  const [typedAt, setTypedAt] = useState(0);
  const [base, setBase] = useState(stored);
  const keep = useCallback(
    (next: Kept) => {
      setKept(next);
      store(key, next);
    },
    [key],
  );
  /** An answer may come after further steps. */
  const latest = useRef(kept);
  latest.current = kept;
  const text = kept.texts[kept.place];
  const read = useMemo(() => readDocument(text), [text]);
  const isChanged = text !== print(base.document);

  const add = (next: string, replaces: boolean) => {
    const before = kept.texts.slice(0, replaces && kept.place > 0 ? kept.place : kept.place + 1);
    const texts = [...before, next].slice(-mostSteps);
    keep({ ...kept, texts, place: texts.length - 1 });
  };
  const step = (by: number) => () => keep({ ...kept, place: kept.place + by });
  const reset = (next = base) => {
    setBase(next);
    setKept(begin(next));
    sessionStorage.removeItem(key);
  };
  /**
   * What is as it was begun, also after changes that were taken back, hides no version that somebody else has stored since.
   * A new one is published as it is.
   */
  const isFollowing = kept.version > 0 && text === kept.over;
  if (isFollowing && kept.version < stored.version) reset(stored);
  return {
    text,
    ...read,
    version: kept.version,
    isChanged,
    setText(next) {
      const now = Date.now();
      add(next, now - typedAt < typingMs);
      setTypedAt(now);
    },
    setDocument: (document) => add(print(document), false),
    undo: kept.place > 0 ? step(-1) : undefined,
    redo: kept.place < kept.texts.length - 1 ? step(1) : undefined,
    reset,
    publish(next) {
      const { texts, place } = latest.current;
      const { document } = readDocument(texts[place]);
      if (document && print(document) === print(next.document)) return reset(next);
      setBase(next);
      keep({ ...latest.current, version: next.version, over: print(next.document) });
    },
  };
}

function begin({ document, version }: StoredDocument): Kept {
  const text = print(document);
  return { texts: [text], place: 0, version, over: text };
}

/** A browser keeps a few megabytes: of a large document the earliest steps are left out. */
function store(key: string, kept: Kept): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(kept));
  } catch {
    const { texts, place } = kept;
    const left = place > 0 ? texts.slice(Math.ceil(place / 2)) : texts.slice(0, 1);
    if (left.length < texts.length) store(key, { ...kept, texts: left, place: Math.floor(place / 2) });
  }
}

function readKept(key: string): Kept | undefined {
  const text = sessionStorage.getItem(key);
  return text === null ? undefined : JSON.parse(text);
}

function readDocument(text: string): Pick<Draft, 'document' | 'fault'> {
  try {
    const json = JSON.parse(text);
    if (typeof json === 'object' && json !== null && !Array.isArray(json)) return { document: json };
    return { fault: 'A configuration is a JSON object.' };
  } catch (error) {
    return { fault: (error as Error).message };
  }
}
