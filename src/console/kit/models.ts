/** How models are called and drawn, on every page alike. */

import { seriesColorVariable } from './colors.ts';

/** What models go by, in the registry's order; the build puts it in. */
declare const registeredWords: Readonly<Record<string, string>>;

const places = new Map(Object.keys(registeredWords).map((model, place) => [model, place]));

export const modelName = (model: string): string => registeredWords[model] ?? model.replaceAll('_', ' ');

export const modelColor = (model: string): string => seriesColorVariable(places.get(model) ?? 8);
