/** Writes documents into an index, and removes items from it. */
import type { Analyser } from '../analysis/analyser.ts';
import { fingerprint, type ItemDocument, textsOf } from './document-text.ts';
import { freeze, type IndexState, type SegmentFollower } from './index-state.ts';
import type { Segment } from './segment.ts';
import { pushStream } from './streams.ts';

export type WriterOptions = {
  state: IndexState;
  analyserOf: (language: unknown) => Analyser;
  follower?: SegmentFollower;
  /** Words of an open segment, after which another one is opened. */
  mostOpenWords: number;
};

export function createWriter({ state, analyserOf, follower, mostOpenWords }: WriterOptions) {
  const { fields, words, weigher, places, titles, claims, kinds, frequencies } = state;

  const remove = (itemIndex: number): void => {
    const place = places.get(itemIndex);
    if (!place) return;
    place.segment.alive[place.ordinal] = 0;
    frequencies.discount(place.segment, place.ordinal);
    places.delete(itemIndex);
    titles.remove(itemIndex);
    state.documentCount -= 1;
    state.revision += 1;
  };

  const register = (itemIndex: number, segment: Segment, ordinal: number, document: ItemDocument): void => {
    places.set(itemIndex, segment, ordinal);
    if (typeof document.title === 'string') titles.put(itemIndex, document.title);
    state.documentCount += 1;
    state.revision += 1;
  };

  const claim = (itemIndex: number, print: number, document: ItemDocument): boolean => {
    const { packed } = state;
    // A running merge may have passed the document by, and it would be lost with its segment.
    const ordinal = state.merge ? undefined : claims.take(print);
    if (ordinal === undefined) return false;
    packed.alive[ordinal] = 1;
    packed.itemOf[ordinal] = itemIndex;
    register(itemIndex, packed, ordinal, document);
    return true;
  };

  /** Adds the postings of a document of the open segment. */
  const weigh = (ordinal: number): void => {
    const { open, averages } = state;
    const count = weigher.weigh(open.streams.values, open.streamStarts[ordinal], averages);
    open.addPostings(ordinal, weigher.terms, weigher.payloads, count);
    frequencies.add(count);
    kinds.add(open, ordinal);
    follower?.added(open, ordinal);
  };

  return {
    remove,
    weigh,
    /** @param withPostings whether the document is found at once, not after the next merge */
    write(itemIndex: number, document: ItemDocument, withPostings: boolean): void {
      const { texts, analyser, print } = readTexts(document, fields, analyserOf);
      const place = places.get(itemIndex);
      if (place && place.segment.fingerprints[place.ordinal] === print) return;
      remove(itemIndex);
      if (claim(itemIndex, print, document)) return;
      if (state.open.streams.length > mostOpenWords && !state.merge) freeze(state);
      const { open } = state;
      const start = open.streams.length;
      state.analysedCount += 1;
      pushStream(open.streams, texts, analyser, words);
      const ordinal = open.addDocument(itemIndex, print, start);
      register(itemIndex, open, ordinal, document);
      if (withPostings) weigh(ordinal);
    },
    /**
     * Takes an item with texts that are in the restored snapshot; returns false, without effect, when
     * they must be analysed.
     */
    adopt: (itemIndex: number, document: ItemDocument): boolean =>
      claim(itemIndex, readTexts(document, fields, analyserOf).print, document),
  };
}

function readTexts(
  document: ItemDocument,
  fields: IndexState['fields'],
  analyserOf: WriterOptions['analyserOf'],
) {
  const texts = fields.map((field) => textsOf(document, field));
  const analyser = analyserOf(document.language);
  return { texts, analyser, print: fingerprint(analyser.language, texts) };
}
