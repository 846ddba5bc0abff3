/**
 * Candidates of one list, best first, as far as they are known; the stream may go on over the whole catalogue.
 */
export type CandidateStream = {
  /** The candidates so far; read anew after `more`. An item that comes again is ignored. */
  readonly items: ArrayLike<number>;
  /** How many of `items` count. */
  readonly count: number;
  /** By place: the score of each of the first candidates, never negative and never rising; see relevance.ts. */
  readonly scores?: ArrayLike<number>;
  /** Appends further candidates; false when there are none. */
  more?(): boolean;
  /**
   * The place at which the stream would bring an item that it has not brought yet. With it, rare items (the only three that
   * satisfy a quota) are fetched directly instead of reading on until they come.
   */
  positionOf?(itemIndex: number): number;
};

export type StreamReader = {
  begin(stream: CandidateStream): void;
  /** Offers candidates until `isEnough` or the end. */
  readUntil(isEnough: () => boolean, offer: (itemIndex: number, position: number) => void): void;
  /** How many candidates were offered. */
  readonly position: number;
  readonly isExhausted: boolean;
};

/** Reads a stream once from the beginning to wherever it is needed. */
export function createStreamReader(): StreamReader {
  let stream: CandidateStream;
  let position = 0;
  let isExhausted = false;
  return {
    begin(next) {
      stream = next;
      position = 0;
      isExhausted = false;
    },
    readUntil(isEnough, offer) {
      while (!isEnough()) {
        if (position < stream.count) {
          offer(stream.items[position], position);
          position += 1;
        } else if (!stream.more?.()) {
          isExhausted = true;
          return;
        }
      }
    },
    get position() {
      return position;
    },
    get isExhausted() {
      return isExhausted;
    },
  };
}
