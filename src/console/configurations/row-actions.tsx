import { ActionIcon, Menu, Modal } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'wouter';
import {
  ConfigurationService,
  type ConfigurationSummary,
} from '../../../gen/es/personalisation/v1/configuration_service_pb.js';
import { useConfigurationDocument, usePublish } from '../grammar/stored-documents.ts';
import { ChangeDialog, Form } from '../kit/dialog.tsx';
import { TextArea, TextField } from '../kit/fields.tsx';
import { Copy, Ellipsis, Pencil, Trash2 } from '../kit/icons.ts';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';
import { keepDraft } from './editor/use-draft.ts';

type Action = 'rename' | 'copy' | 'delete';

type RowActionsProps = { summary: ConfigurationSummary; known: ReadonlySet<string> };

/** Menu of a rule set in the list. */
export function RowActions({ summary, known }: RowActionsProps) {
  const { mayChange } = useConsole();
  const [action, setAction] = useState<Action>();
  const { configurationId, environments } = summary;
  const places = environments.length > 0 ? environments : [undefined];
  const isDraft = summary.version === 0;
  const mayWrite = mayChange('configurations', isDraft ? 'edit' : 'publish', places);
  const mayCopy = !isDraft && mayChange('configurations');
  if (!mayWrite && !mayCopy) return null;
  const close = () => setAction(undefined);
  return (
    <>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('Actions for {configurationId}', { configurationId })}
          >
            <Ellipsis size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {mayWrite && !isDraft && (
            <Menu.Item leftSection={<Pencil size={14} />} onClick={() => setAction('rename')}>
              {t('Rename')}
            </Menu.Item>
          )}
          {mayCopy && (
            <Menu.Item leftSection={<Copy size={14} />} onClick={() => setAction('copy')}>
              {t('Duplicate')}
            </Menu.Item>
          )}
          {mayWrite && (
            <Menu.Item leftSection={<Trash2 size={14} />} onClick={() => setAction('delete')}>
              {isDraft ? t('Delete the draft') : t('Delete')}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {action === 'rename' && <Rename summary={summary} onClose={close} />}
      {action === 'copy' && <Duplicate configurationId={configurationId} known={known} onClose={close} />}
      {action === 'delete' && !isDraft && (
        <Delete {...{ configurationId, version: summary.version }} onClose={close} />
      )}
      {action === 'delete' && isDraft && <DeleteDraft configurationId={configurationId} onClose={close} />}
    </>
  );
}

/** Changes name and description; the ID, which requests use, stays. */
function Rename({ summary, onClose }: { summary: ConfigurationSummary; onClose(): void }) {
  const { configurationId } = summary;
  const [name, setName] = useState(summary.name);
  const [description, setDescription] = useState(summary.description);
  const { data, error } = useConfigurationDocument(configurationId);
  const publish = usePublish(onClose);
  const save = () => {
    const { name: _, description: __, ...others } = data!.document;
    publish.mutate({
      configurationId,
      document: { ...others, ...(name && { name }), ...(description && { description }) },
      expectedVersion: data!.version,
      comment: t('Renamed'),
    });
  };
  return (
    <Modal opened onClose={onClose} title={t('Rename {configurationId}', { configurationId })}>
      <Form
        submit={t('Save')}
        error={error ?? publish.error}
        isPending={publish.isPending || !data}
        onSubmit={save}
        onClose={onClose}
      >
        <TextField
          label={t('Name')}
          maxLength={mostNameLength}
          data-autofocus
          value={name}
          onChange={setName}
        />
        <TextArea label={t('Description')} maxLength={2000} value={description} onChange={setDescription} />
      </Form>
    </Modal>
  );
}

type DuplicateProps = { configurationId: string; known: ReadonlySet<string>; onClose(): void };

const mostNameLength = 200;
const copySuffix = ` ${t('(copy)')}`;

/** Opens a copy as a draft; nothing is stored until it is published. */
function Duplicate({ configurationId, known, onClose }: DuplicateProps) {
  const { pathTo } = useConsole();
  const [, navigate] = useLocation();
  const [id, setId] = useState(`${configurationId}-copy`);
  const { data, error } = useConfigurationDocument(configurationId);
  const isKnown = known.has(id.trim());
  const open = () => {
    const { configuration_id: _, name, ...document } = data!.document;
    const copied =
      typeof name === 'string' && `${name.slice(0, mostNameLength - copySuffix.length)}${copySuffix}`;
    keepDraft(id.trim(), { ...document, ...(copied && { name: copied }) });
    navigate(pathTo(`configurations/${encodeURIComponent(id.trim())}`));
  };
  return (
    <Modal opened onClose={onClose} title={t('Duplicate {configurationId}', { configurationId })}>
      <Form
        submit={t('Duplicate')}
        error={error}
        isPending={!data && !error}
        isIncomplete={isKnown || !id.trim() || !data}
        onSubmit={open}
        onClose={onClose}
      >
        <TextField
          label={t('ID')}
          description={t('Recommendation requests use it.')}
          maxLength={256}
          data-autofocus
          value={id}
          error={isKnown ? t('A rule set with this ID exists.') : undefined}
          onChange={setId}
        />
      </Form>
    </Modal>
  );
}

type DeleteProps = { configurationId: string; onClose(): void };

const Delete = ({ configurationId, version, onClose }: DeleteProps & { version: number }) => (
  <ChangeDialog
    isOpen
    title={t('Delete {configurationId}?', { configurationId })}
    confirm={t('Delete')}
    method={ConfigurationService.method.deleteConfiguration}
    request={{ configurationId, expectedVersion: version }}
    onClose={onClose}
  >
    {t(
      'Requests for its lists will fail, and searches no longer apply it. To restore it, use `personalisation configurations roll-back`.',
    )}
  </ChangeDialog>
);

const DeleteDraft = ({ configurationId, onClose }: DeleteProps) => (
  <ChangeDialog
    isOpen
    title={t('Delete the draft of {configurationId}?', { configurationId })}
    confirm={t('Delete')}
    method={ConfigurationService.method.deleteConfigurationDraft}
    request={{ configurationId }}
    onClose={onClose}
  >
    {t('It has not been published, so it cannot be restored.')}
  </ChangeDialog>
);
