/** All models of an environment: trained together, served together. */

import type { IndexMapping, Model } from './model.ts';
import { type ModelSettings, type ModelTables, type TrainingSource, trainedEntries } from './registry.ts';

export type PortfolioInput = Omit<TrainingSource, 'trained'> & {
  settings?: ModelSettings;
  /** Tables that need no training. */
  kept?: ModelTables;
  /** Called before each model, with its name. */
  onModel?: (name: string) => void;
};

export function trainPortfolio(input: PortfolioInput): ModelTables {
  const { settings = {}, kept = {}, onModel = () => {}, ...source } = input;
  const trained: Record<string, unknown> & ModelTables = { ...kept };
  for (const [key, { name, algorithm, inputOf, optionsOf }] of trainedEntries) {
    if (trained[key] !== undefined) continue;
    const from = { ...source, trained };
    const learnable = inputOf(from);
    if (learnable === undefined) continue;
    onModel(name);
    trained[key] = algorithm.train(learnable, { ...optionsOf?.(from), ...settings[key] }) as never;
  }
  return trained;
}

/** Served models hold scratch memory of their own: one set per thread. */
export function servePortfolio(tables: ModelTables, mapping: IndexMapping): Model[] {
  return trainedEntries
    .filter(([key]) => tables[key] !== undefined)
    .map(([key, { algorithm }]) => algorithm.serve(tables[key], mapping));
}
