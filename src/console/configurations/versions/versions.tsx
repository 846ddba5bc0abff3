import { timestampDate } from '@bufbuild/protobuf/wkt';
import { useMutation, useQuery } from '@connectrpc/connect-query';
import { Badge, Button, Group, Paper, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import {
  type ConfigurationPeriod,
  ConfigurationService,
  type ConfigurationVersion,
} from '../../../../gen/es/personalisation/v1/configuration_service_pb.js';
import { ChangeList } from '../../kit/change-list.tsx';
import { ConfirmDialog } from '../../kit/dialog.tsx';
import { ErrorNotice, Heading, Loading, PageSkeleton } from '../../kit/page.tsx';
import { useRefresh } from '../../kit/queries.ts';
import { Ago, type Column, DataTable } from '../../kit/table.tsx';
import { useAddress } from '../../service/address.ts';
import { States } from '../list.tsx';

type VersionsProps = { configurationId: string; current: number; periods: ConfigurationPeriod[] };

/** History of a rule set: changes of each version, and restoring one. */
export default function Versions({ configurationId, current, periods }: VersionsProps) {
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
        <VersionTable
          versions={data.versions}
          shown={shown}
          current={current}
          periods={periods}
          onShow={(version) => set({ version: String(version) })}
          onRestore={restore}
        />
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

type VersionTableProps = {
  versions: readonly ConfigurationVersion[];
  shown: number;
  current: number;
  periods: ConfigurationPeriod[];
  onShow(version: number): void;
  onRestore(version: number): void;
};

function VersionTable({ versions, shown, current, periods, onShow, onRestore }: VersionTableProps) {
  const columns: Column<ConfigurationVersion>[] = [
    {
      label: 'Version',
      cell: ({ version, deletion }) => (
        <Group gap={4}>
          <Button
            variant="subtle"
            size="compact-sm"
            onClick={() => onShow(version)}
            aria-pressed={version === shown}
          >
            {version}
          </Button>
          {periods.some((one) => one.version === version) && (
            <States summary={{ periods: periods.filter((one) => one.version === version) }} />
          )}
          {deletion && <Badge color="red">deleted</Badge>}
        </Group>
      ),
    },
    {
      label: 'Last edited',
      cell: ({ createTime, clientId, comment }) => (
        <>
          <Ago time={timestampDate(createTime!)} />
          <Text size="xs" className="quiet" truncate maw={{ base: 100, sm: 140 }}>
            {clientId || 'the service'}
          </Text>
          <Text size="xs" hiddenFrom="sm">
            {comment}
          </Text>
        </>
      ),
    },
    { label: 'Note', from: 'sm', cell: ({ comment }) => comment || '–' },
    {
      label: 'Restore',
      isActions: true,
      cell: ({ version, deletion }) =>
        version !== current &&
        !deletion && (
          <Button variant="default" size="compact-xs" onClick={() => onRestore(version)}>
            Restore
          </Button>
        ),
    },
  ];
  return (
    <DataTable
      rows={versions}
      keyOf={({ version }) => version}
      isSelected={({ version }) => version === shown}
      columns={columns}
    />
  );
}

type RestoreDialogProps = {
  configurationId: string;
  version: number | undefined;
  current: number;
  onClose(): void;
};

function RestoreDialog({ configurationId, version, current, onClose }: RestoreDialogProps) {
  const rollBack = useMutation(ConfigurationService.method.rollBackConfiguration, {
    onSuccess(answer, request) {
      const message = `Restored version ${request.version} as version ${answer.version}.`;
      notifications.show({ message, color: 'green' });
      onClose();
    },
    ...useRefresh(),
  });
  const comment = `Back to version ${version}`;
  return (
    <ConfirmDialog
      isOpen={version !== undefined}
      title={`Restore version ${version}?`}
      confirm="Restore"
      isHarmless
      mutation={rollBack}
      onConfirm={() => rollBack.mutate({ configurationId, version, expectedVersion: current, comment })}
      onClose={onClose}
    >
      Publishes an identical copy as a new version. All versions stay in the history.
    </ConfirmDialog>
  );
}

/** Changes of a version against the previous one. */
function Changes({ configurationId, version }: { configurationId: string; version: number }) {
  const { data, error, refetch } = useQuery(
    ConfigurationService.method.diffConfigurationVersions,
    { configurationId, fromVersion: version - 1, toVersion: version },
    { enabled: version > 1 },
  );
  if (error) return <ErrorNotice error={error} onRetry={refetch} />;
  return (
    <Stack gap="sm">
      <Heading title={`Version ${version}`} />
      {version <= 1 && <Text size="sm">This is the first version.</Text>}
      {version > 1 && !data && <Loading h={80} />}
      {data?.changes.length === 0 && <Text size="sm">Same content as version {version - 1}.</Text>}
      <ChangeList
        changes={(data?.changes ?? []).map(({ pointer, beforeJson, afterJson }) => ({
          pointer,
          before: beforeJson && JSON.parse(beforeJson),
          after: afterJson && JSON.parse(afterJson),
        }))}
      />
    </Stack>
  );
}
