/** Colours that tell things apart: the same thing has the same colour everywhere, in both themes readable. */

const light = [
  '#4353c9',
  '#d9660b',
  '#0f8a6c',
  '#b83280',
  '#8a6d00',
  '#0284a8',
  '#7c4dd6',
  '#c0392b',
  '#5b6272',
];
const dark = [
  '#8f9df5',
  '#f5a05b',
  '#4cc9a5',
  '#ee8fc0',
  '#dcc15a',
  '#5ec6e6',
  '#b99af7',
  '#f08b80',
  '#a3a9b8',
];

export function seriesColor(place: number, isDark: boolean): string {
  const colors = isDark ? dark : light;
  return colors[place % colors.length];
}

/** As a CSS value that follows the theme. */
export function seriesColorVariable(place: number): string {
  return `light-dark(${light[place % light.length]}, ${dark[place % dark.length]})`;
}
