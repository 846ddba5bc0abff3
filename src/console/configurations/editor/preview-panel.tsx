import { Group, Switch, Text } from '@mantine/core';
import { useMemo } from 'react';
import type { Configuration } from '../../../../gen/es/personalisation/v1/configuration_pb.js';
import type { StoredDocument } from '../../grammar/stored-documents.ts';
import { formatCounted } from '../../kit/format.ts';
import { useItems } from '../../kit/items.ts';
import { PreviewColumn } from '../../lists/column.tsx';
import { usePreview } from '../../lists/queries.ts';
import { readSetup, type Setup, writeSetup } from '../../lists/setup.ts';
import { SetupForm } from '../../lists/setup-form.tsx';
import { useAddress } from '../../service/address.ts';
import { t } from '../../texts/texts.ts';
import type { Draft } from './use-draft.ts';

type PreviewPanelProps = {
  configurationId: string;
  draft: Draft;
  stored: StoredDocument;
  /** Undefined while the draft has faults. */
  message?: Configuration;
};

const noIds: string[] = [];

/** Preview of a visitor's list with the draft; marks changes against the published version. */
export function PreviewPanel({ configurationId, draft, stored, message }: PreviewPanelProps) {
  const { values, set } = useAddress<string>();
  const setup = { ...readSetup(values, '', ''), configurations: [configurationId] };
  const drafts = useMemo(() => (message ? [message] : []), [message]);
  const preview = usePreview(
    message || stored.version > 0 ? setup : { ...setup, configurations: [] },
    drafts,
  );
  const marksMoves = values.moves !== '0' && stored.version > 0 && draft.isChanged;
  const published = usePreview(marksMoves ? setup : { ...setup, configurations: [] });
  const list = preview.data?.explanations[0];
  const lookUp = useItems(noIds);
  const change = (changes: Partial<Setup>) => set(writeSetup(changes, ''));
  return (
    <>
      <SetupForm setup={setup} lookUp={lookUp} onChange={change} />
      <Group justify="space-between" mt="sm" mih={24}>
        {!message && (
          <Text size="xs" c="var(--warn)" role="status">
            {t('Fix the faults to update the preview.')}
          </Text>
        )}
        {stored.version > 0 && draft.isChanged && (
          <Switch
            size="xs"
            label={t('Mark changes')}
            checked={marksMoves}
            onChange={(event) => set({ moves: event.currentTarget.checked ? '' : '0' })}
          />
        )}
      </Group>
      <Text className="visually-hidden" role="status">
        {preview.isPlaceholderData || !list
          ? ''
          : t('Preview updated: {items}.', { items: formatCounted(list.items.length, 'item') })}
      </Text>
      <PreviewColumn
        setup={setup}
        preview={preview}
        other={marksMoves ? published.data : undefined}
        onChange={change}
      />
    </>
  );
}
