/** Long work in slices: generators that yield every few milliseconds, so that requests take their turn. */

/** Calls `visit` with 0 … count - 1, and yields after every `perSlice` calls. */
export function* inSlices(count: number, perSlice: number, visit: (i: number) => void): Generator<void> {
  for (let i = 0; i < count; i++) {
    visit(i);
    if (i % perSlice === perSlice - 1) yield;
  }
}

/** Runs all slices at once; returns the generator's value. */
export function finish<T>(slices: Generator<void, T>): T {
  for (;;) {
    const { done, value } = slices.next();
    if (done) return value;
  }
}
