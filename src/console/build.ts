/**
 * Builds the console into `build/console`; `npm install` runs it.
 *
 * Without development dependencies (`npm install --omit=dev`) it builds nothing and the installation continues; the service
 * then explains at `/console` how to build it.
 */

const isInstalling = process.argv.includes('--if-possible');

try {
  const [{ build }, { default: config }] = await Promise.all([import('vite'), import('./vite.config.ts')]);
  await build(config);
} catch (error) {
  const isAbsent = (error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND';
  if (!isInstalling || !isAbsent) throw error;
  console.log('The console is not built: development dependencies are missing.');
}
