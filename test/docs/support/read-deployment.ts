/** What a start does first with the deployment file that it is given. */

import { loadDeployment } from '../../../src/deployment/load-deployment.ts';

await loadDeployment(process.argv[2]);
