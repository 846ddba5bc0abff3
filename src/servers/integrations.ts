/** Packages that only some sites need. `npm install` in the repository leaves them out; the packed command and the image have them. */

/** @throws Error that names the command which fetches the packages, when they are missing */
export async function loadIntegration<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    const message = `${name} needs packages that are not installed. Run: npm run install:integrations`;
    throw new Error(message, { cause: error });
  }
}
