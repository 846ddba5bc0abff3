import { Paper, Table, Text, Title } from '@mantine/core';
import type { ItemChange } from '../../../../gen/es/personalisation/v1/configuration_service_pb.js';
import { formatCount } from '../../kit/format.ts';

const mostShown = 12;

export function ItemChanges({ title, changes }: { title: string; changes: ItemChange[] }) {
  return (
    <Paper p="md" miw={0}>
      <Title order={2} mb="sm">
        {title}
      </Title>
      {changes.length === 0 ? (
        <Text size="sm" className="quiet">
          None.
        </Text>
      ) : (
        <Table verticalSpacing={5} horizontalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Item</Table.Th>
              <Table.Th ta="end">Lists before</Table.Th>
              <Table.Th ta="end">with the draft</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {changes.slice(0, mostShown).map((change) => (
              <Table.Tr key={`${change.itemType}/${change.itemId}`}>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>
                  <bdi>{change.title || change.itemId}</bdi>
                </Table.Td>
                <Table.Td ta="end" className="numbers">
                  {formatCount(change.beforeCount)}
                </Table.Td>
                <Table.Td ta="end" className="numbers">
                  {formatCount(change.afterCount)}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Paper>
  );
}
