/** A service reduced to its database, run by tests as a process of its own: `node embedded-service.ts DATA_DIR`. */
import { startEmbeddedPostgres } from '../../../src/repository/embedded/embedded-postgres.ts';
import { silentLogger } from '../../support/database.ts';

/** Prints the outcome of the start on one line of standard output, then runs until SIGTERM. */
async function serve(dataDir: string): Promise<void> {
  try {
    const server = await startEmbeddedPostgres({ dataDir, logger: silentLogger });
    const { connection, firstStart } = server;
    console.log(JSON.stringify({ connection, firstStart }));
    const alive = setInterval(() => undefined, 60_000);
    process.once('SIGTERM', async () => {
      clearInterval(alive);
      await server.stop();
    });
  } catch (error) {
    console.log(JSON.stringify({ refusal: (error as Error).message }));
  }
}

await serve(process.argv[2]);
