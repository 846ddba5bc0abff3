import { seriesColorVariable } from '../kit/colors.ts';
import { modelWords } from './text.ts';

const places = new Map(Object.keys(modelWords).map((model, place) => [model, place]));

/** The same model has the same colour on every page. */
export const modelColor = (model: string): string => seriesColorVariable(places.get(model) ?? 8);
