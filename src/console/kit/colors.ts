/** Colours that distinguish series and models, readable in both themes. */

import { type Text, t } from '../texts/texts.ts';

const light = '#4353c9 #d9660b #0f8a6c #b83280 #8a6d00 #0284a8 #7c4dd6 #c0392b #5b6272'.split(' ');
const dark = '#8f9df5 #f5a05b #4cc9a5 #ee8fc0 #dcc15a #5ec6e6 #b99af7 #f08b80 #a3a9b8'.split(' ');

export const greyIndex = 8;

/** Degrees between the hues of further colours, none of which repeats. */
const goldenAngle = 137.508;

export function seriesColor(index: number, isDark: boolean): string {
  const colors = isDark ? dark : light;
  if (index < colors.length) return colors[index];
  return `hsl(${Math.round(index * goldenAngle) % 360} 60% ${isDark ? 72 : 36}%)`;
}

/** Colour as a CSS value that follows the theme. */
export const seriesColorVariable = (index: number): string =>
  `light-dark(${seriesColor(index, false)}, ${seriesColor(index, true)})`;

/** Names of the models in the registry's order; the build defines it. */
declare const registeredWords: Readonly<Record<string, string>>;

export const models = Object.keys(registeredWords);

export const modelName = (model: string): string =>
  t((registeredWords[model] ?? model.replaceAll('_', ' ')) as Text);

/** Grey is the colour of unknown models alone. */
export function modelColor(model: string): string {
  const index = models.indexOf(model);
  return seriesColorVariable(index < 0 ? greyIndex : index + Number(index >= greyIndex));
}
