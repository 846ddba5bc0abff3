/**
 * How a data set is split into what models learn from and what they are asked. All items are ranked, never a sample of
 * negatives: sampled metrics are inconsistent (Krichene, Rendle, "On Sampled Metrics for Item Recommendation", KDD 2020).
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
  /** Trained on before the questions; the next round's holds this round's answers too. */
  train: Interactions;
  /** Where the histories of the questions are. */
  source: Interactions;
  questions: readonly Question[];
};

export const protocolNames = [
  /** Once per subject with history, about all that it turned to in the test time. */
  'time-split',
  /** At every event of the test time, about the next item. */
  'next-event',
  /** The same within sessions, where the item on display is no answer. */
  'next-click',
  /** At every occasion of the test time, about all its items, known ones too. */
  'next-basket',
  /** Once per subject, about its last item. */
  'leave-last-out',
  /** Once per subject, about the items of a test file. */
  'fixed',
] as const;

export type ProtocolName = (typeof protocolNames)[number];

export type ProtocolOptions = {
  protocol: ProtocolName;
  /** Last share of the events that is asked about [0.2]. */
  testShare?: number;
  /** Moment from which on events are asked about, Unix seconds; instead of a share. */
  testFromSeconds?: number;
  /** Models are trained anew after each of so many equal parts of the test time [1], as a service does. */
  rounds?: number;
  /** What no list may hold; by default as the protocol has it. */
  excluded?: Exclusion;
  /** Questions of a round, evenly chosen when there are more [all]. */
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

/** Learning holds back as much as will be asked about between two trainings. */
export function sliceShareOf({ testShare = defaultTestShare, rounds = 1 }: ProtocolOptions): number {
  return Math.min(defaultSliceShare, testShare / rounds);
}

/** What the questions of a protocol ask for; learning asks the same of the training side. */
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

/** Every subject's last event is asked about and all others are learnt from. */
function leaveLastOut(source: Interactions, options: ProtocolOptions): Split {
  const questions = askAboutLast(source, { ...askingOf(options), maxQuestions: options.maxQuestions });
  return { train: withoutAsked(source, questions), source, questions };
}
