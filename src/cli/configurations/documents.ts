/** Configurations in JSON files: one or several per file. */

import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export type ConfigurationDocument = Record<string, unknown>;

export type NamedDocument = { id: string; document: ConfigurationDocument };

export async function readConfigurations(path: string): Promise<NamedDocument[]> {
  return parseConfigurations(await readFile(path, 'utf8'), path);
}

export async function readConfiguration(path: string): Promise<NamedDocument> {
  const [one, ...others] = await readConfigurations(path);
  if (one === undefined || others.length > 0) throw new Error(`${path} must contain one configuration.`);
  return one;
}

/** Reads a configuration or an array of them. @param path Names the file in errors. */
export function parseConfigurations(text: string, path: string): NamedDocument[] {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new Error(`${path} is not JSON: ${(error as Error).message}.`);
  }
  return ([json].flat() as (ConfigurationDocument | null)[]).map((document) => {
    const id = document?.configuration_id;
    if (document && typeof id === 'string' && id !== '') return { id, document };
    throw new Error(`${path} has a configuration without a configuration_id.`);
  });
}

const namesIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter((name) => name.endsWith('.json')).sort();

/** Reads all `.json` files of a folder; returns documents by ID. */
export async function readFolder(folder: string): Promise<Map<string, ConfigurationDocument>> {
  const found = new Map<string, ConfigurationDocument>();
  for (const name of await namesIn(folder)) {
    for (const { id, document } of await readConfigurations(join(folder, name))) {
      if (found.has(id))
        throw new Error(`Duplicate configuration ${id}: it is in ${join(folder, name)} and in another file.`);
      found.set(id, document);
    }
  }
  return found;
}

/** Returns the documents of each file by ID; an unreadable file has none. */
async function readFiles(folder: string): Promise<Map<string, Map<string, ConfigurationDocument>>> {
  const files = new Map<string, Map<string, ConfigurationDocument>>();
  for (const name of await namesIn(folder)) {
    const held = await readConfigurations(join(folder, name)).catch((): NamedDocument[] => []);
    files.set(name, new Map(held.map(({ id, document }) => [id, document])));
  }
  return files;
}

/**
 * Writes each document into the file that contains its ID, and keeps the file's other documents. A new document gets a file
 * named by its escaped ID. Returns the names of the files that changed.
 */
export async function writeFolder(
  folder: string,
  documents: ReadonlyMap<string, ConfigurationDocument>,
): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const files = await readFiles(folder);
  const names = new Map(
    Array.from(files, ([name, held]) => Array.from(held.keys(), (id) => [id, name] as const)).flat(),
  );
  const touched = new Set<string>();
  for (const [id, document] of documents) {
    const name = names.get(id) ?? `${encodeURIComponent(id)}.json`;
    files.set(name, new Map(files.get(name)).set(id, document));
    touched.add(name);
  }
  const changed: string[] = [];
  for (const name of touched) {
    const held = [...files.get(name)!.values()];
    const text = `${JSON.stringify(held.length === 1 ? held[0] : held, null, 2)}\n`;
    const present = await readFile(join(folder, name), 'utf8').catch(() => undefined);
    if (present === text) continue;
    await writeFile(join(folder, name), text);
    changed.push(name);
  }
  return changed;
}
