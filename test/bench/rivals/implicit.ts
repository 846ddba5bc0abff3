/** A training of the generated shop: all models and the blend of the service, and the factor model of implicit. */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startFilledService, train } from '../service.ts';
import { createWorld } from '../world.ts';
import { type Comparison, cpuSecondsOf, type Figures, memoryMbOf, round } from './side.ts';

const script = join(import.meta.dirname, 'train_implicit.py');

export async function compareImplicit({ rival, size }: Comparison): Promise<Record<string, Figures>> {
  const nowSeconds = Math.floor(Date.now() / 1_000);
  const service = await startFilledService(createWorld('rivals', nowSeconds, size));
  const measured: Record<string, Figures> = {};
  try {
    const before = cpuSecondsOf([service.pid]);
    const startMs = performance.now();
    await train(service);
    measured.service = {
      events: size.events,
      'training s': round((performance.now() - startMs) / 1_000),
      'CPU s': round(cpuSecondsOf([service.pid]) - before),
      'memory MB': memoryMbOf([service.pid]),
    };
  } finally {
    await service.stop();
  }
  if (rival === undefined) return measured;
  const folder = mkdtempSync(join(tmpdir(), 'benchmark-rivals-'));
  try {
    const world = createWorld('rivals', nowSeconds, size);
    const lines = Array.from({ length: size.events }, () => {
      const { user_id: user, action_item: item } = world.pastEvent();
      return `${user},${item}`;
    });
    writeFileSync(join(folder, 'events.csv'), lines.join('\n'));
    measured.implicit = JSON.parse(execFileSync(rival, [script, folder], { encoding: 'utf8' }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return measured;
}
