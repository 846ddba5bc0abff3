#!/usr/bin/env node
/**
 * The installed command. Node does not run TypeScript below `node_modules`, so a package carries `dist/`, made of the sources
 * when it is packed; the repository runs its sources. Both need Node 24, which the package `node` brings where the caller's is older.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const oldestNode = 24;
const main = fileURLToPath(
  new URL(isPackage() ? '../dist/src/command/main.js' : '../src/main.ts', import.meta.url),
);

if (Number.parseInt(process.versions.node, 10) >= oldestNode) {
  process.argv[1] = main;
  await import(new URL(`file://${main}`).href);
} else {
  runWith(findNode());
}

function isPackage() {
  return !existsSync(new URL('../src/main.ts', import.meta.url));
}

function findNode() {
  try {
    const installed = dirname(createRequire(import.meta.url).resolve('node/package.json'));
    const path = join(installed, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
    if (existsSync(path)) return path;
  } catch {
    // Said below: a package manager that runs no install scripts leaves it out.
  }
  console.error(
    `Node ${oldestNode} or newer is needed, and this is ${process.versions.node}. Install it, or let the package "node" run ` +
      'its install script (npm install --foreground-scripts node@24).',
  );
  process.exit(1);
}

/** Signals go on to the child, which decides when it has stopped; its end is ours. */
function runWith(node) {
  const child = spawn(node, [main, ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.once('error', (error) => {
    console.error(`${node} cannot be run: ${error.message}`);
    process.exit(1);
  });
  child.once('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
}
