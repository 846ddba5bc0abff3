import { Badge, Button, Group, List, Paper, Select, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import {
  type ConfigurationPeriod,
  ConfigurationService,
  type ConfigurationVersion,
} from '../../../../gen/es/personalisation/v1/configuration_service_pb.js';
import { diffDocuments } from '../../../formats/diff.ts';
import { changeWords } from '../../grammar/change-words.ts';
import { useDocumentVersion } from '../../grammar/stored-documents.ts';
import { ChangeDialog } from '../../kit/dialog.tsx';
import { ErrorNotice, Heading, Loading, Unread } from '../../kit/page.tsx';
import { useRead } from '../../kit/queries.ts';
import { ChangeList } from '../../kit/snippet.tsx';
import { Ago, type Column, DataTable } from '../../kit/table.tsx';
import { useAddress } from '../../service/address.ts';
import { useConsole } from '../../service/console-context.ts';
import { t } from '../../texts/texts.ts';
import { States } from '../list.tsx';

type VersionsProps = { configurationId: string; current: number; periods: ConfigurationPeriod[] };

/** History of a rule set: changes of each version, and restoring one. */
export default function Versions({ configurationId, current, periods }: VersionsProps) {
  const { values, set } = useAddress<'version' | 'from'>();
  const [restoring, restore] = useState<number>();
  const { data, error, refetch } = useRead(ConfigurationService.method.listConfigurationVersions, {
    configurationId,
  });
  if (!data) return <Unread error={error} onRetry={refetch} />;
  const shown = Number(values.version) || current;
  const from = Number(values.from) || shown - 1;
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
        <Changes
          {...{ configurationId, from, versions: data.versions }}
          version={shown}
          onFrom={(next) => set({ from: next })}
        />
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
  const { mayChange } = useConsole();
  const columns: Column<ConfigurationVersion>[] = [
    {
      label: t('Version'),
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
          {deletion && <Badge color="red">{t('deleted')}</Badge>}
        </Group>
      ),
    },
    {
      label: t('Last edited'),
      cell: ({ createTime, clientId, clientName, comment }) => (
        <>
          <Ago time={createTime} />
          <Text size="xs" className="quiet" truncate maw={{ base: 100, sm: 140 }}>
            {clientName || clientId || t('the service')}
          </Text>
          <Text size="xs" hiddenFrom="sm">
            {comment}
          </Text>
        </>
      ),
    },
    { label: t('Note'), from: 'sm', cell: ({ comment }) => comment || '–' },
    {
      label: t('Restore'),
      isActions: true,
      cell: ({ version, deletion }) =>
        version !== current &&
        !deletion &&
        mayChange('configurations', 'publish') && (
          <Button size="compact-xs" onClick={() => onRestore(version)}>
            {t('Restore')}
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
  const comment = t('Back to version {version}', { version });
  return (
    <ChangeDialog
      isOpen={version !== undefined}
      title={t('Restore version {version}?', { version })}
      confirm={t('Restore')}
      isHarmless
      method={ConfigurationService.method.rollBackConfiguration}
      request={{ configurationId, version, expectedVersion: current, comment }}
      onDone={(answer) => {
        const versions = { former: version, version: answer.version };
        const message = t('Restored version {former} as version {version}.', versions);
        notifications.show({ message, color: 'green' });
      }}
      onClose={onClose}
    >
      {t('Publishes an identical copy as a new version. All versions stay in the history.')}
    </ChangeDialog>
  );
}

type ChangesProps = {
  configurationId: string;
  version: number;
  from: number;
  versions: readonly ConfigurationVersion[];
  onFrom(version: string): void;
};

/** Changes from one version to another, in words, with the raw differences. */
function Changes({ configurationId, version, from, versions, onFrom }: ChangesProps) {
  const [isRaw, raw] = useDisclosure(false);
  const before = useDocumentVersion(configurationId, from);
  const after = useDocumentVersion(configurationId, version);
  const failed = [before, after].find(({ error }) => error);
  if (failed) return <ErrorNotice error={failed.error!} onRetry={failed.refetch} />;
  const isShown = before.data && after.data;
  const words = isShown ? changeWords(before.data, after.data) : [];
  return (
    <Stack gap="sm">
      <Heading
        title={t('Version {version}', { version })}
        actions={
          versions.length > 1 && (
            <Select
              aria-label={t('Compare with version')}
              size="xs"
              w={200}
              data={versions
                .filter((one) => one.version !== version && !one.deletion)
                .map((one) => ({
                  value: String(one.version),
                  label: t('Changes from version {version}', { version: one.version }),
                }))}
              value={from > 0 ? String(from) : null}
              placeholder={t('Compare with …')}
              onChange={(next) => onFrom(next ?? '')}
            />
          )
        }
      />
      {from < 1 && <Text size="sm">{t('This is the first version.')}</Text>}
      {from > 0 && !isShown && <Loading h={80} />}
      {isShown && words.length === 0 && (
        <Text size="sm">{t('Same content as version {version}.', { version: from })}</Text>
      )}
      {words.length > 0 && (
        <List size="sm" spacing={4} aria-label={t('Changes')}>
          {words.map((one) => (
            <List.Item key={one}>{one}</List.Item>
          ))}
        </List>
      )}
      {isShown && words.length > 0 && (
        <Button
          variant="subtle"
          size="compact-xs"
          onClick={raw.toggle}
          aria-expanded={isRaw}
          style={{ alignSelf: 'flex-start' }}
        >
          {isRaw ? t('Hide raw data') : t('Show raw data')}
        </Button>
      )}
      {isShown && isRaw && <ChangeList changes={diffDocuments(before.data, after.data)} />}
    </Stack>
  );
}
