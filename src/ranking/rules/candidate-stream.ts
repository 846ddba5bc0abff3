/** The candidates of one list, best first. The stream may continue over the whole catalogue. */
export type CandidateStream = {
  /** The candidates so far, which `more` may replace. Repeated items are ignored. */
  readonly items: ArrayLike<number>;
  /** Valid entries of `items`. */
  readonly count: number;
  /** By place: scores of the first candidates, never negative or rising; see relevance.ts. */
  readonly scores?: ArrayLike<number>;
  /** Appends further candidates; returns false when there are none. */
  more?(): boolean;
  /**
   * Returns the place of an item that the stream has not reached yet. With it, rare items (the only
   * three that satisfy a quota) are fetched directly.
   */
  positionOf?(itemIndex: number): number;
};

type StreamReader = {
  begin(stream: CandidateStream): void;
  /** Offers candidates until `isEnough` or the end. */
  readUntil(isEnough: () => boolean, offer: (itemIndex: number, position: number) => void): void;
  /** Offered candidates. */
  readonly position: number;
  readonly isExhausted: boolean;
};

/** Reads a stream once, as far as it is needed. */
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
