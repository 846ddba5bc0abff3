/**
 * Draft of a rule set: one text, which the form reads as a document and the JSON panel shows as it is. It survives reloads and
 * visits of other pages, until it is published or discarded.
 */

import { useCallback, useMemo, useRef, useState } from 'react';
import { type Document, print } from '../../grammar/document.ts';
import type { StoredDocument } from '../../grammar/stored-documents.ts';

export type Draft = {
  text: string;
  /** Undefined unless the text is a JSON object. */
  document?: Document;
  /** Why the text is not a JSON object. */
  fault?: string;
  /** Version that the draft is based on; 0 for a new rule set. */
  version: number;
  isChanged: boolean;
  /** Sets typed text; changes within a second are undone together. */
  setText(text: string): void;
  setDocument(document: Document): void;
  undo?(): void;
  redo?(): void;
  /** Returns to the stored version, or moves to a newer one. */
  reset(stored?: StoredDocument): void;
  /** Moves to the published version; keeps changes made since it was sent. */
  publish(stored: StoredDocument): void;
};

/** Name of a rule set for titles; its ID if it has none. */
export const nameOf = ({ document }: Draft, id: string): string =>
  typeof document?.name === 'string' && document.name ? document.name : id;

type Steps = {
  texts: string[];
  /** Index of the current text. */
  index: number;
  version: number;
  /** Text of that version. */
  base: string;
};

const typingMs = 1_000;
const mostSteps = 200;

export function useDraft(configurationId: string, stored: StoredDocument): Draft {
  const key = `draft ${configurationId}`;
  const [steps, setSteps] = useState<Steps>(() => readSteps(key) ?? begin(stored));
  const [typedAt, setTypedAt] = useState(0);
  const [base, setBase] = useState(stored);
  const keep = useCallback(
    (next: Steps) => {
      setSteps(next);
      store(key, next);
    },
    [key],
  );
  /** Answers may arrive after further changes. */
  const latest = useRef(steps);
  latest.current = steps;
  const text = steps.texts[steps.index];
  const read = useMemo(() => readDocument(text), [text]);
  const isChanged = text !== print(base.document);

  const add = (next: string, replaces: boolean) => {
    const before = steps.texts.slice(0, replaces && steps.index > 0 ? steps.index : steps.index + 1);
    const texts = [...before, next].slice(-mostSteps);
    keep({ ...steps, texts, index: texts.length - 1 });
  };
  const step = (by: number) => () => keep({ ...steps, index: steps.index + by });
  const reset = (next = base) => {
    setBase(next);
    setSteps(begin(next));
    sessionStorage.removeItem(key);
  };
  /** An unchanged draft moves on to newer versions; a new rule set can be published unchanged. */
  const isUnchanged = steps.version > 0 && text === steps.base;
  if (isUnchanged && steps.version < stored.version) reset(stored);
  return {
    text,
    ...read,
    version: steps.version,
    isChanged,
    setText(next) {
      const now = Date.now();
      add(next, now - typedAt < typingMs);
      setTypedAt(now);
    },
    setDocument: (document) => add(print(document), false),
    undo: steps.index > 0 ? step(-1) : undefined,
    redo: steps.index < steps.texts.length - 1 ? step(1) : undefined,
    reset,
    publish(next) {
      const { texts, index } = latest.current;
      const { document } = readDocument(texts[index]);
      if (document && print(document) === print(next.document)) return reset(next);
      setBase(next);
      keep({ ...latest.current, version: next.version, base: print(next.document) });
    },
  };
}

/** Keeps a document as the draft of a new rule set. */
export const keepDraft = (configurationId: string, document: Document): void =>
  store(`draft ${configurationId}`, { ...begin({ document, version: 0 }), base: '' });

function begin({ document, version }: StoredDocument): Steps {
  const text = print(document);
  return { texts: [text], index: 0, version, base: text };
}

/** Stores the steps; drops the earliest ones where the browser's quota of a few megabytes is exceeded. */
function store(key: string, steps: Steps): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(steps));
  } catch {
    const { texts, index } = steps;
    const left = index > 0 ? texts.slice(Math.ceil(index / 2)) : texts.slice(0, 1);
    if (left.length < texts.length) store(key, { ...steps, texts: left, index: Math.floor(index / 2) });
  }
}

function readSteps(key: string): Steps | undefined {
  const text = sessionStorage.getItem(key);
  return text === null ? undefined : JSON.parse(text);
}

function readDocument(text: string): Pick<Draft, 'document' | 'fault'> {
  try {
    const json = JSON.parse(text);
    if (typeof json === 'object' && json !== null && !Array.isArray(json)) return { document: json };
    return { fault: 'Must be a JSON object.' };
  } catch (error) {
    return { fault: (error as Error).message };
  }
}
