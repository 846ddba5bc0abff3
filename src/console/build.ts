/**
 * Builds the console into `build/console`; `npm install` runs it.
 *
 * Where the packages that build it were not installed (`npm install --omit=dev`) nothing is built and the installation goes on:
 * the service then says at `/console` what to do.
 */

const isInstalling = process.argv.includes('--if-possible');

try {
  const [{ build }, { default: config }] = await Promise.all([import('vite'), import('./vite.config.ts')]);
  await build(config);
} catch (error) {
  const isAbsent = (error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND';
  if (!isInstalling || !isAbsent) throw error;
  console.log('The console is not built: development dependencies are absent.');
}
