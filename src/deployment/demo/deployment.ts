/** The deployment of a service that is started without a deployment file. */

import type { Deployment } from '../deployment.ts';
import { parseDeployment } from '../load-deployment.ts';

export const demoEnvironment = 'demo';

/** Also an example of a deployment file. */
const demoDeploymentYaml = `
environments:
  - name: ${demoEnvironment}
    default_language: en
    item_types:
      - name: item
        properties:
          - { name: brand, type: string, filterable: true, returnable: true, searchable: { weight: 2 } }
          - { name: price, type: number, filterable: true, returnable: true }
          - { name: in_stock, type: boolean, filterable: true }
      - name: article
        properties:
          - { name: reading_minutes, type: number, filterable: true, returnable: true }
      - name: video
        properties:
          - { name: duration_minutes, type: number, filterable: true, returnable: true }
    filter_fields: [categories, tags, language, item_type, brand, price, in_stock, reading_minutes, duration_minutes]
    information_field: title
    currency: EUR
    integration_types: [email, push_notification_app]
    query_completions: { recent: 3, popular: 3, least_people: 5 }
    feeds: [{ name: merchant, url: "https://shop.example", item_types: [item] }]
`;

export function createDemoDeployment(): Deployment {
  return { ...parseDeployment(demoDeploymentYaml, 'the built-in deployment'), demo: true };
}
