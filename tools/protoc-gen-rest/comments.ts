/** Proto comments as prose. */

import type { AnyDesc, DescFile } from '@bufbuild/protobuf';
import { getComments } from '@bufbuild/protoplugin';

/** The comment over an element; paragraphs stay, line breaks within them go. Empty without comment. */
export function describe(desc: Exclude<AnyDesc, DescFile>): string {
  const lines = (getComments(desc).leading ?? '').split('\n').map((line) => line.trim());
  return lines
    .join('\n')
    .replaceAll(/(?<!\n)\n(?!\n)/g, ' ')
    .trim();
}
