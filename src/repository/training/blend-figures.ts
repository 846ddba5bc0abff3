/** Weight and quality of each model, by name. Qualities are mean NDCG@20 over held-back questions. */
export type BlendFigures = {
  questionCount: number;
  quality: number;
  models: Readonly<Record<string, { weight: number; alone: number; without: number }>>;
  /** Weights of page types that have their own, then by model. */
  pageTypes: Readonly<Record<string, Readonly<Record<string, number>>>>;
};
