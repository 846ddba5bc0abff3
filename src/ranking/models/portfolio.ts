/** Trains and serves all models of an environment together. */

import type { IndexMapping, Model } from './model.ts';
import { type ModelSettings, type ModelTables, type TrainingSource, trainedEntries } from './registry.ts';

export type PortfolioInput = Omit<TrainingSource, 'trained'> & {
  settings?: ModelSettings;
  /** Tables to reuse without training. */
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

/** Serves the models. They hold scratch memory: create one set per thread. */
export function servePortfolio(tables: ModelTables, mapping: IndexMapping): Model[] {
  return trainedEntries
    .filter(([key]) => tables[key] !== undefined)
    .map(([key, { algorithm }]) => algorithm.serve(tables[key], mapping));
}
