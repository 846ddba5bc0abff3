/**
 * Splits a data set into training events and questions. Rankings cover all items: sampled metrics
 * are inconsistent (Krichene, Rendle, "On Sampled Metrics for Item Recommendation", KDD 2020).
 */

import type { Interactions } from '../../ranking/models/interactions.ts';
import { defaultSliceShare } from '../../ranking/models/learning/held-out.ts';
import {
  type Asking,
  type AskPer,
  askAbout,
  askAboutLast,
  type Exclusion,
  eventsBefore,
  momentBefore,
  type Question,
  withoutAsked,
} from '../../ranking/models/learning/questions.ts';

export type Split = {
  /** Training events before the questions; the next round adds this round's answers. */
  train: Interactions;
  /** Contains the histories of the questions. */
  source: Interactions;
  questions: readonly Question[];
};

export const protocolNames = [
  /** One question per subject with history: all its items of the test period. */
  'time-split',
  /** One question per event of the test period: the next item. */
  'next-event',
  /** As next-event, within sessions; the context item is no answer. */
  'next-click',
  /** One question per occasion of the test period: all its items, known ones too. */
  'next-basket',
  /** One question per subject: its last item. */
  'leave-last-out',
  /** One question per subject: its items of a test file. */
  'fixed',
] as const;

export type ProtocolName = (typeof protocolNames)[number];

export type ProtocolOptions = {
  protocol: ProtocolName;
  /** Share of events in the test period, from the end [0.2]. */
  testShare?: number;
  /** Start of the test period in Unix seconds; replaces the share. */
  testFromSeconds?: number;
  /** Number of equal test periods; models are retrained after each, as in a service [1]. */
  rounds?: number;
  /** Items that lists exclude [depends on the protocol]. */
  excluded?: Exclusion;
  /** Maximum number of questions per round, sampled evenly [all]. */
  maxQuestions?: number;
};

const defaultTestShare = 0.2;

const askPer: Record<ProtocolName, AskPer> = {
  'time-split': 'subject',
  'leave-last-out': 'last',
  'next-event': 'event',
  'next-click': 'event',
  'next-basket': 'occasion',
  fixed: 'subject',
};

const exclusions: Record<ProtocolName, Exclusion> = {
  'time-split': 'met',
  'leave-last-out': 'met',
  'next-event': 'met',
  'next-click': 'last',
  'next-basket': 'none',
  fixed: 'met',
};

export function exclusionOf({ protocol, excluded }: ProtocolOptions): Exclusion {
  return excluded ?? exclusions[protocol];
}

/** Holds out as much for learning as the questions between two trainings cover. */
export function sliceShareOf({ testShare = defaultTestShare, rounds = 1 }: ProtocolOptions): number {
  return Math.min(defaultSliceShare, testShare / rounds);
}

/** Returns what the protocol's questions ask; learning asks the same on the training side. */
export function askingOf(options: ProtocolOptions): Asking {
  const { protocol } = options;
  const single = protocol === 'next-event' || protocol === 'next-click' || protocol === 'leave-last-out';
  const excluded = exclusionOf(options);
  return { per: askPer[protocol], excluded, horizon: single ? 1 : Number.POSITIVE_INFINITY };
}

export function splitBy(interactions: Interactions, options: ProtocolOptions): Split[] {
  if (options.protocol === 'leave-last-out') return [leaveLastOut(interactions, options)];
  const { testShare = defaultTestShare, rounds = 1 } = options;
  const start = options.testFromSeconds ?? momentBefore(interactions, testShare);
  const end = interactions.timeSeconds.reduce((latest, time) => Math.max(latest, time), start);
  const length = (end - start) / rounds;
  return Array.from({ length: rounds }, (_, round) => {
    const fromSeconds = start + round * length;
    const untilSeconds = round === rounds - 1 ? Number.POSITIVE_INFINITY : fromSeconds + length;
    return {
      train: eventsBefore(interactions, fromSeconds),
      source: interactions,
      questions: askAbout(
        interactions,
        { fromSeconds, untilSeconds },
        { ...askingOf(options), maxQuestions: options.maxQuestions },
      ),
    };
  });
}

/** Asks about every subject's last event and trains on all others. */
function leaveLastOut(source: Interactions, options: ProtocolOptions): Split {
  const questions = askAboutLast(source, { ...askingOf(options), maxQuestions: options.maxQuestions });
  return { train: withoutAsked(source, questions), source, questions };
}
