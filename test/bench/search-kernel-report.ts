/** What is told of one engine on one catalogue. */

export type Times = { mean_us: number; p50_us: number; p99_us: number; max_us: number };

export type KernelReport = {
  catalogue: string;
  engine: string;
  items: number;
  build_seconds: number;
  bytes_per_item: number;
  /** Of background work while building. */
  longest_slice_ms: number;
  slices_above_5_ms: number;
  rows: Record<string, Times>;
  'ndcg@10'?: number;
  'ndcg@10_judged'?: number;
};
