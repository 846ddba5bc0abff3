/** Durations of the consecutive stages of a request. */

export type Stage = { name: string; durationMs: number };

export type Stages = {
  readonly ended: readonly Stage[];
  /** Ends the current stage under this name and starts the next. */
  end(name: string): void;
};

export function createStages(nowMs: () => number = () => performance.now()): Stages {
  const ended: Stage[] = [];
  let sinceMs = nowMs();
  return {
    ended,
    end(name) {
      const endMs = nowMs();
      ended.push({ name, durationMs: endMs - sinceMs });
      sinceMs = endMs;
    },
  };
}
