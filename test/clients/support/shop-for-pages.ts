/** A service for pages of other origins, with shoes, and its administrator. */

import { createPersonalisation } from '../../../clients/node/src/index.ts';
import { ClientKind } from '../../../gen/es/personalisation/v1/client_pb.js';
import { ClientService } from '../../../gen/es/personalisation/v1/client_service_pb.js';
import { ConfigurationService } from '../../../gen/es/personalisation/v1/configuration_service_pb.js';
import { ItemService } from '../../../gen/es/personalisation/v1/item_service_pb.js';
import { testedService } from '../../contract/support/tested-service.ts';
import { forAllTests } from '../../support/for-all-tests.ts';

const deployment = `
server: { cors_origins: ["*"] }
environments:
  - name: shop
    item_types: [{ name: product }]
    information_field: title
`;

/** Without a time limit, because the machine may be busy. */
export const patientMs = 60_000;

/** For the tests of the file that calls it. */
export function shopForPages() {
  const service = testedService(deployment);
  const admin = forAllTests('the administrator', () =>
    createPersonalisation({
      baseUrl: service.origin,
      environment: 'shop',
      credentials: service.admin,
      writeTimeoutMs: patientMs,
    }),
  );

  /** Stores the given number of shoes, and a configuration `all` for them. */
  const stock = async (count: number): Promise<void> => {
    const configuration = { configurationId: 'all' };
    await admin.service(ConfigurationService).putConfiguration({ configurationId: 'all', configuration });
    for (let index = 0; index < count; index += 1) {
      const address = { environment: 'shop', itemType: 'product', itemId: `shoes-${index}` };
      await admin.service(ItemService).putItem({ ...address, item: { title: `Red shoes ${index}` } });
    }
  };

  /** Returns a write key for pages of the origin. */
  const createWriteKey = async (origin: string): Promise<string> => {
    const scopes = ['events:shop'];
    const { client } = await admin.service(ClientService).createClient({
      client: { kind: ClientKind.WRITE_KEY, name: 'page', scopes, origins: [origin] },
    });
    return client!.clientId;
  };

  return { service, admin, stock, createWriteKey };
}
