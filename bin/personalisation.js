#!/usr/bin/env node
/**
 * The installed command. Node does not run TypeScript below `node_modules`, so a package carries `dist/`, made of the sources
 * when it is packed; the repository runs its sources.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { isNewEnough, nodeInCache } from './node-24.js';

const isPackage = !existsSync(new URL('../src/main.ts', import.meta.url));
const main = new URL(isPackage ? '../dist/src/command/main.js' : '../src/main.ts', import.meta.url);

if (isNewEnough) {
  process.argv[1] = fileURLToPath(main);
  await import(main.href);
} else {
  runWith(nodeInCache());
}

/** Signals go on to the child, which decides when it has stopped; its end is ours. */
function runWith(node) {
  const child = spawn(node, [fileURLToPath(main), ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.once('error', (error) => {
    console.error(`${node} cannot be run: ${error.message}`);
    process.exit(1);
  });
  child.once('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
}
