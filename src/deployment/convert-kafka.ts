/** The tables that Debezium sends, of a deployment file. */

import { stringify } from 'yaml';
import type { ChangedTable } from '../../gen/es/personalisation/deployment/v1/deployment_pb.js';
import { parseMapping } from '../formats/records/mapping/mapping.ts';
import { checkDistinct, type Faults } from './checks.ts';

/** Checks the mappings of the tables. */
export function convertTables(tables: ChangedTable[], pointer: string, fault: Faults): ChangedTable[] {
  checkDistinct(
    tables.map(({ table }) => table),
    (i) => `${pointer}/${i}/table`,
    fault,
  );
  for (const [i, { mapping }] of tables.entries()) {
    try {
      if (mapping) parseMapping(stringify(mapping), 'mapping', 'items');
    } catch (error) {
      for (const line of (error as Error).message.split('\n')) fault(`${pointer}/${i}/mapping`, line);
    }
  }
  return tables;
}
