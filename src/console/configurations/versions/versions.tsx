import { timestampDate } from '@bufbuild/protobuf/wkt';
import { useMutation, useQuery } from '@connectrpc/connect-query';
import { Badge, Button, Group, Modal, Paper, Table, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import {
  ConfigurationService,
  type ConfigurationVersion,
} from '../../../../gen/es/personalisation/v1/configuration_service_pb.js';
import { ErrorNotice } from '../../kit/error-notice.tsx';
import { formatAgo, formatMoment } from '../../kit/format.ts';
import { PageSkeleton } from '../../kit/page.tsx';
import { useRefresh } from '../../kit/refresh.ts';
import { useAddress } from '../../service/address.ts';
import { Changes } from './changes.tsx';

type VersionsProps = { configurationId: string; current: number };

/** Who wrote what, when and why; each version against the one before; and the way back. */
export default function Versions({ configurationId, current }: VersionsProps) {
  const { values, set } = useAddress<'version'>();
  const [restoring, restore] = useState<number>();
  const { data, error, refetch } = useQuery(ConfigurationService.method.listConfigurationVersions, {
    configurationId,
  });
  if (!data) return error ? <ErrorNotice error={error} onRetry={refetch} /> : <PageSkeleton />;
  const shown = Number(values.version) || current;
  return (
    <Group align="flex-start" gap="lg">
      <Paper flex="1 1 420px" miw={0} style={{ overflow: 'hidden' }}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Version</Table.Th>
              <Table.Th>Written</Table.Th>
              <Table.Th visibleFrom="sm">Why</Table.Th>
              <Table.Th>
                <span className="visually-hidden">Go back</span>
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {data.versions.map((version) => (
              <VersionRow
                key={version.version}
                version={version}
                isCurrent={version.version === current}
                isShown={version.version === shown}
                onShow={() => set({ version: String(version.version) })}
                onRestore={() => restore(version.version)}
              />
            ))}
          </Table.Tbody>
        </Table>
      </Paper>
      <Paper p="md" flex="1 1 360px" miw={0}>
        <Changes configurationId={configurationId} version={shown} />
      </Paper>
      <RestoreDialog
        configurationId={configurationId}
        version={restoring}
        current={data.versions[0]?.version ?? current}
        onClose={() => restore(undefined)}
      />
    </Group>
  );
}

type VersionRowProps = {
  version: ConfigurationVersion;
  isCurrent: boolean;
  isShown: boolean;
  onShow(): void;
  onRestore(): void;
};

function VersionRow({ version, isCurrent, isShown, onShow, onRestore }: VersionRowProps) {
  const written = timestampDate(version.createTime!);
  return (
    <Table.Tr bg={isShown ? 'var(--mantine-color-ink-light)' : undefined}>
      <Table.Td>
        <Button variant="subtle" size="compact-sm" onClick={onShow} aria-pressed={isShown}>
          {version.version}
        </Button>
        {isCurrent && (
          <Badge variant="light" color="green" tt="none" ms={4}>
            newest
          </Badge>
        )}
        {version.deletion && (
          <Badge variant="light" color="red" tt="none" ms={4}>
            deleted
          </Badge>
        )}
      </Table.Td>
      <Table.Td>
        <span title={formatMoment(written)}>{formatAgo(written)}</span>
        <Text size="xs" className="quiet" truncate maw={{ base: 100, sm: 140 }}>
          {version.clientId || 'the service itself'}
        </Text>
        <Text size="xs" hiddenFrom="sm" style={{ overflowWrap: 'anywhere' }}>
          {version.comment}
        </Text>
      </Table.Td>
      <Table.Td visibleFrom="sm" style={{ overflowWrap: 'anywhere' }}>
        {version.comment || '–'}
      </Table.Td>
      <Table.Td ta="end">
        {!isCurrent && !version.deletion && (
          <Button variant="default" size="compact-xs" onClick={onRestore}>
            Go back to it
          </Button>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

type RestoreDialogProps = {
  configurationId: string;
  version: number | undefined;
  current: number;
  onClose(): void;
};

function RestoreDialog({ configurationId, version, current, onClose }: RestoreDialogProps) {
  const refresh = useRefresh();
  const rollBack = useMutation(ConfigurationService.method.rollBackConfiguration, {
    onSuccess(answer, asked) {
      notifications.show({
        message: `Version ${answer.version} is version ${asked.version} again.`,
        color: 'green',
      });
      onClose();
    },
    ...refresh,
  });
  /** What was refused for one version says nothing of the next. */
  const close = () => {
    rollBack.reset();
    onClose();
  };
  return (
    <Modal
      opened={version !== undefined}
      onClose={close}
      title={<Text fw={600}>Go back to version {version}?</Text>}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Text size="sm">It is written again, byte for byte, as a new version. Nothing is lost.</Text>
      {rollBack.error && <ErrorNotice error={rollBack.error} />}
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <Button
          loading={rollBack.isPending}
          onClick={() =>
            rollBack.mutate({
              configurationId,
              version,
              expectedVersion: current,
              comment: `Back to version ${version}`,
            })
          }
        >
          Go back
        </Button>
      </Group>
    </Modal>
  );
}
