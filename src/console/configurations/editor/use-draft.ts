/**
 * Draft of a rule set: one text, which the form reads as a document and the JSON panel shows as it is. The tab keeps its steps,
 * also while they are not saved; the service keeps the text for all editors, until it is published or discarded.
 */

import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { type Document, print } from '../../grammar/document.ts';
import type { StoredDocument } from '../../grammar/stored-documents.ts';
import { readObject } from '../../kit/variables.ts';
import { type SharedDraft, useSharing } from './shared-draft.ts';

export type Draft = {
  text: string;
  /** Undefined unless the text is a JSON object. */
  document?: Document;
  /** Why the text is not a JSON object. */
  fault?: string;
  /** Version that the draft is based on; 0 for a new rule set. */
  version: number;
  isChanged: boolean;
  sharing: Sharing;
  /** Sets typed text; changes within a second are undone together. */
  setText(text: string): void;
  setDocument(document: Document): void;
  undo?(): void;
  redo?(): void;
  /** Returns to the stored version, or moves to a newer one. */
  reset(stored?: StoredDocument): void;
  /** Moves to the published version; keeps changes made since it was sent. */
  publish(stored: StoredDocument): void;
  /** Continues with a document that contains the changes of another user. */
  merge(document: Document, conflict: Conflict): void;
};

export type Sharing = {
  /** `off` without the right to edit; a draft that cannot be saved has `failed`. */
  state: 'off' | 'saved' | 'unsaved' | 'failed';
  error?: Error;
  conflict?: Conflict;
};

/** Changes of another user since `base`, which is version `baseVersion` if it is absent. */
export type Conflict = { baseVersion: number; base?: Document; stored: StoredDocument; shared?: SharedDraft };

/** Name of a rule set for titles; its ID if it has none. */
export const nameOf = ({ document }: Draft, id: string): string =>
  typeof document?.name === 'string' && document.name ? document.name : id;

type Steps = {
  texts: string[];
  index: number;
  version: number;
  /** Text of that version; empty if it is unknown. */
  base: string;
  /** Revision of the service's draft that this one continues, and its text; 0 for none. */
  revision: number;
  saved: string;
};

const textOf = ({ texts, index }: Steps): string => texts[index];

/** Whether the service has another draft than this one; an unchanged rule set has none. */
const isUnsaved = (steps: Steps): boolean =>
  (textOf(steps) === steps.base ? undefined : textOf(steps)) !==
  (steps.revision > 0 ? steps.saved : undefined);

const typingMs = 1_000;
const mostSteps = 200;

const keyOf = (configurationId: string): string => `draft ${configurationId}`;

/** Texts with undo and redo, kept by the tab. */
function useSteps(key: string, stored: StoredDocument) {
  const [steps, setSteps] = useState<Steps>(() => readSteps(key) ?? begin(stored));
  const [typedAt, setTypedAt] = useState(0);
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
  const text = textOf(steps);
  const read = useMemo(() => readObject(text), [text]);
  const step = (by: number) => () => keep({ ...steps, index: steps.index + by });
  return {
    ...{ steps, latest, keep, text, read },
    setText(next: string) {
      keep(withText(steps, next, Date.now() - typedAt < typingMs));
      setTypedAt(Date.now());
    },
    setDocument: (document: Document) => keep(withText(steps, print(document))),
    undo: steps.index > 0 ? step(-1) : undefined,
    redo: steps.index < steps.texts.length - 1 ? step(1) : undefined,
  };
}

/** @param shared The service's draft; null without one, undefined without the right to edit. */
export function useDraft(
  configurationId: string,
  stored: StoredDocument,
  shared: SharedDraft | null | undefined,
): Draft {
  const key = keyOf(configurationId);
  const { steps, latest, keep, text, read, ...edits } = useSteps(key, stored);
  const [base, setBase] = useState(stored);
  const isChanged = text !== print(base.document);
  const reset = (next = base) => {
    setBase(next);
    keep({ ...begin(next), revision: latest.current.revision, saved: latest.current.saved });
    if (latest.current.revision === 0) sessionStorage.removeItem(key);
  };
  const { revision } = steps;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a step back to an earlier revision follows again
  useEffect(() => {
    const followed = follow(latest.current, stored, shared);
    if (followed) keep(followed);
  }, [shared, stored, keep, revision]);
  /** An unchanged draft moves on to newer versions; a new rule set can be published unchanged. */
  const isUnchanged = steps.version > 0 && text === steps.base;
  if (isUnchanged && steps.version < stored.version) reset(stored);
  const conflict = conflictOf(steps, stored, shared);
  const sharing = useSharing(configurationId, shared, {
    ...{ text, version: steps.version, revision },
    document: text === steps.base ? undefined : read.document,
    canSave: isUnsaved(steps) && !read.fault && shared !== undefined && (shared?.revision ?? 0) === revision,
  });
  return {
    text,
    ...read,
    version: steps.version,
    isChanged,
    sharing: {
      error: sharing.error,
      conflict,
      state: stateOf(
        shared === undefined,
        isUnsaved(steps),
        Boolean(sharing.error || read.fault || conflict?.shared),
      ),
    },
    ...edits,
    reset,
    publish(next) {
      const { document } = readObject(textOf(latest.current));
      if (document && print(document) === print(next.document)) return reset(next);
      setBase(next);
      keep({ ...latest.current, version: next.version, base: print(next.document) });
    },
    merge(document, { stored: published, shared: theirs }) {
      setBase(published);
      const version = theirs?.version ?? published.version;
      const next = { ...withText(steps, print(document)), version, base: baseText(version, published) };
      keep(theirs ? { ...next, revision: theirs.revision, saved: print(theirs.document) } : next);
    },
  };
}

/** @param replaces Whether the text replaces the current one. */
function withText(steps: Steps, next: string, replaces = false): Steps {
  const before = steps.texts.slice(0, replaces && steps.index > 0 ? steps.index : steps.index + 1);
  const texts = [...before, next].slice(-mostSteps);
  return { ...steps, texts, index: texts.length - 1 };
}

function stateOf(isOff: boolean, isOpen: boolean, hasFailed: boolean): Sharing['state'] {
  if (isOff) return 'off';
  if (!isOpen) return 'saved';
  return hasFailed ? 'failed' : 'unsaved';
}

const baseText = (version: number, stored: StoredDocument): string =>
  version === stored.version ? print(stored.document) : '';

/** Whether this tab saved the service's draft, and may have changed it since. */
const isOwnStep = ({ texts }: Steps, { isOwn, text, document }: SharedDraft): boolean =>
  isOwn && texts.includes(text ?? print(document));

/** Returns the steps that continue the service's draft; undefined if they do, or if the drafts conflict. */
function follow(
  steps: Steps,
  stored: StoredDocument,
  shared: SharedDraft | null | undefined,
): Steps | undefined {
  if (shared === null && steps.revision > 0)
    return isUnsaved(steps) ? { ...steps, revision: 0, saved: '' } : begin(stored);
  if (!shared || shared.revision === steps.revision) return undefined;
  const { revision, version, document } = shared;
  const saved = shared.text ?? print(document);
  if (isOwnStep(steps, shared)) return { ...steps, revision, saved };
  if (isUnsaved(steps)) return undefined;
  const published = print(stored.document);
  const texts = saved === published ? [saved] : [published, saved];
  return { texts, index: texts.length - 1, version, base: baseText(version, stored), revision, saved };
}

function conflictOf(
  steps: Steps,
  stored: StoredDocument,
  shared: SharedDraft | null | undefined,
): Conflict | undefined {
  const { version, revision, saved, base } = steps;
  if (shared && !isOwnStep(steps, shared) && shared.revision !== revision && isUnsaved(steps)) {
    const { document } = readObject(revision > 0 ? saved : base);
    if (print(shared.document) !== textOf(steps))
      return { baseVersion: version, base: document, stored, shared };
  }
  const isOvertaken = stored.version > version && (version === 0 || textOf(steps) !== base);
  return isOvertaken ? { baseVersion: version, stored } : undefined;
}

/** Keeps a document as the draft of a new rule set. */
export const keepDraft = (configurationId: string, document: Document): void =>
  store(keyOf(configurationId), { ...begin({ document, version: 0 }), base: '' });

function begin({ document, version }: StoredDocument): Steps {
  const text = print(document);
  return { texts: [text], index: 0, version, base: text, revision: 0, saved: '' };
}

/** Stores the steps; drops the earliest ones where the browser's quota of a few megabytes is exceeded. */
function store(key: string, steps: Steps): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(steps));
  } catch {
    const { texts, index } = steps;
    const left = index > 0 ? texts.slice(Math.ceil(index / 2)) : texts.slice(0, 1);
    if (left.length < texts.length) store(key, { ...steps, texts: left, index: Math.floor(index / 2) });
    else sessionStorage.removeItem(key);
  }
}

function readSteps(key: string): Steps | undefined {
  const text = sessionStorage.getItem(key);
  return text === null ? undefined : JSON.parse(text);
}
