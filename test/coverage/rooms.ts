/** Formats coverage as a table by folder below `src/`; files beside the folders form one row. */

import type { CoveredFile, Share } from './covered-files.ts';

const kinds = ['lines', 'functions'] as const;

export function printRooms(files: readonly CoveredFile[]): void {
  const rooms = Map.groupBy(files, ({ path }) => roomOf(path));
  const named = [...rooms].sort(([one], [other]) => one.localeCompare(other));
  console.log(row('room', kinds));
  for (const [room, members] of [...named, ['all', files] as const])
    console.log(
      row(
        room,
        kinds.map((kind) => percent(members.map((member) => member[kind]))),
      ),
    );
}

function roomOf(path: string): string {
  const [room, file] = path.split('/');
  return file === undefined ? 'src' : room;
}

function percent(shares: readonly Share[]): string {
  const [covered, total] = (['covered', 'total'] as const).map((key) =>
    shares.reduce((sum, share) => sum + share[key], 0),
  );
  return total === 0 ? '–' : ((100 * covered) / total).toFixed(1);
}

function row(name: string, figures: readonly string[]): string {
  return name.padEnd(16) + figures.map((figure) => figure.padStart(11)).join('');
}
