/** One deployment for several sites of the documents. */

import { join } from 'node:path';
import { createDemoDeployment } from '../../../src/deployment/demo/deployment.ts';
import type {
  Deployment,
  EnvironmentSettings,
  VectorDefinition,
} from '../../../src/deployment/deployment.ts';
import { loadDeployment } from '../../../src/deployment/load-deployment.ts';
import { trainedOnce } from '../../support/trained-once.ts';
import { root } from './documents.ts';

/**
 * With the environment of the demo, which is empty: what its visitors did takes long to learn from.
 *
 * @param sites Folders of `docs` with a deployment file. The server is that of the first; the others' are the same.
 */
export async function siteOf(sites: string[]): Promise<Deployment> {
  const deployments = await Promise.all(
    sites.map((site) => loadDeployment(join(root, 'docs', site, 'deployment.yaml'))),
  );
  const environments = [createDemoDeployment(), ...deployments].flatMap(({ environments }) => [
    ...environments,
  ]);
  const [, shop] = environments.find(([name]) => name === 'shop')!;
  addVectors(shop);
  /** The property of docs/configurations.md. */
  const stock = { ...shop.properties.get('price')!, name: 'stock' };
  Object.assign(shop, { properties: new Map([...shop.properties, ['stock', stock]]) });
  return trainedOnce({ ...deployments[0], environments: new Map(environments) });
}

/** The vectors that docs/vectors.md declares. */
function addVectors(shop: EnvironmentSettings): void {
  const vectors = new Map<string, VectorDefinition>([
    ['look', { name: 'look', dimensions: 4, metric: 'cosine' }],
    ['taste', { name: 'taste', dimensions: 2, metric: 'dot' }],
  ]);
  Object.assign(shop, { vectors });
  Object.assign(shop.itemTypes.get('product')!, { vectors });
}
