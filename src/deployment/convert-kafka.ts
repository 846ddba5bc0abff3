/** The topics of Kafka, and the tables that Debezium sends, of a deployment file. */

import { isAbsolute, join } from 'node:path';
import { stringify } from 'yaml';
import type { ChangedTable, Kafka } from '../../gen/es/personalisation/deployment/v1/deployment_pb.js';
import { parseMapping } from '../formats/records/mapping/mapping.ts';
import { checkDistinct, checkEach, type Faults, within } from './checks.ts';

/** Returns the settings with absolute paths. */
export function convertKafka(
  kafka: Kafka | undefined,
  environments: ReadonlyMap<string, unknown>,
  { directory, fault }: { directory: string; fault: Faults },
): Kafka | undefined {
  if (!kafka) return undefined;
  const { brokers, topics, publish, tls, sasl } = kafka;
  const isBroker = (broker: string) => /^[^\s:/]+:\d{1,5}$/.test(broker);
  const brokerFault = 'Must be a host and a port, e.g. kafka.example:9092.';
  checkEach(brokers, isBroker, brokerFault, within(fault, 'kafka/brokers'));
  for (const [list, entries] of Object.entries({ topics, publish })) {
    const names = entries.map(({ topic }) => topic);
    checkDistinct(names, within(fault, `kafka/${list}`), '/topic');
    for (const [i, { environment }] of entries.entries())
      if (!environments.has(environment))
        fault(`/kafka/${list}/${i}/environment`, 'Must be the name of an environment of this file.');
  }
  for (const [i, { kind, format }] of topics.entries())
    if (format === 'debezium' && kind !== 'items')
      fault(`/kafka/topics/${i}/format`, 'Only items may have the format debezium.');
  if (tls && (tls.certificate === undefined) !== (tls.key === undefined))
    fault('/kafka/tls', 'Must have both certificate and key, or neither.');
  const path = (name: string) => (isAbsolute(name) ? name : join(directory, name));
  const optional = (name: string | undefined) => (name === undefined ? undefined : path(name));
  return {
    ...kafka,
    tls: tls && {
      ...tls,
      ca: optional(tls.ca),
      certificate: optional(tls.certificate),
      key: optional(tls.key),
    },
    sasl: sasl && { ...sasl, passwordFile: path(sasl.passwordFile) },
  };
}

/** Checks the mappings of the tables. */
export function convertTables(tables: ChangedTable[], fault: Faults): ChangedTable[] {
  const names = tables.map(({ table }) => table);
  checkDistinct(names, fault, '/table');
  for (const [i, { mapping }] of tables.entries()) {
    try {
      if (mapping) parseMapping(stringify(mapping), 'mapping', 'items');
    } catch (error) {
      for (const line of (error as Error).message.split('\n')) fault(`/${i}/mapping`, line);
    }
  }
  return tables;
}
