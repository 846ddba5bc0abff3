export type ChartSeries = {
  label: string;
  /** One value per time; null leaves a gap. */
  values: (number | null)[];
  /** Marks a compared period. */
  isDashed?: boolean;
  /** Index of its colour [its own index]. */
  color?: number;
};
