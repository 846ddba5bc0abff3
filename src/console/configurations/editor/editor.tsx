import { createClient } from '@connectrpc/connect';
import { Alert, Box, Button, Group, Modal, Paper, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Configuration } from '../../../../gen/es/personalisation/v1/configuration_pb.js';
import { ConfigurationService } from '../../../../gen/es/personalisation/v1/configuration_service_pb.js';
import type { Document } from '../../grammar/document.ts';
import {
  arrangementOf,
  type SearchRules,
  searchRulesOf,
  withArrangement,
  withSearchRules,
} from '../../grammar/search-rules.ts';
import type { StoredDocument } from '../../grammar/stored-documents.ts';
import { Form } from '../../kit/dialog.tsx';
import { Choice, JsonField, SwitchField, TextField } from '../../kit/fields.tsx';
import { formatCounted } from '../../kit/format.ts';
import { useItems } from '../../kit/items.ts';
import { Heading, Hint } from '../../kit/page.tsx';
import { Snippet } from '../../kit/snippet.tsx';
import { PreviewColumn } from '../../lists/column.tsx';
import { readSetup, type Setup, usePreview, writeSetup } from '../../lists/setup.ts';
import { SetupForm } from '../../lists/setup-form.tsx';
import { useAddress } from '../../service/address.ts';
import { useConsole } from '../../service/console-context.ts';
import { rich } from '../../texts/rich-text.ts';
import { t } from '../../texts/texts.ts';
import classes from './editor.module.css';
import { PreferenceList, RuleList } from './rule-lists.tsx';
import { Hides, Pins } from './search/item-lines.tsx';
import { SearchPreview } from './search/search-preview.tsx';
import { SearchSection } from './search/search-section.tsx';
import { SettingsForm } from './settings-form.tsx';
import type { Draft } from './use-draft.ts';
import { type Findings, useFindings } from './use-findings.ts';

type EditorProps = { configurationId: string; draft: Draft; stored: StoredDocument };

/** Form on one side; preview or JSON on the other. Both sides edit the same document. */
export function Editor({ configurationId, draft, stored }: EditorProps) {
  const { values, set } = useAddress<'panel'>();
  const { can } = useConsole();
  const hasPreview = can('explanations');
  const panel = hasPreview && values.panel !== 'json' ? 'preview' : 'json';
  const findings = useFindings(configurationId, draft.document);
  const rules = draft.document && searchRulesOf(draft.document);
  const { message } = findings;
  return (
    <div className={classes.editor}>
      <Box miw={0}>
        {draft.document ? (
          <DocumentForm document={draft.document} findings={findings} onChange={draft.setDocument} />
        ) : (
          <Alert color="orange" mb="md" role="alert">
            {rich('Fix the JSON to use the form. {fault}', { fault: draft.fault })}
          </Alert>
        )}
      </Box>
      <Paper className={classes.side} p="md">
        {hasPreview && (
          <Choice
            aria-label={t('Side panel')}
            labels={{ preview: t('Preview'), json: 'JSON' }}
            value={panel}
            onChange={(next) => set({ panel: next === 'json' ? 'json' : '' })}
            mb="md"
          />
        )}
        {panel === 'json' && <JsonPanel draft={draft} findings={findings} />}
        {panel === 'preview' && rules && (
          <SearchPreview configurationId={configurationId} rules={rules} message={message} />
        )}
        {panel === 'preview' && !rules && (
          <PreviewPanel configurationId={configurationId} draft={draft} stored={stored} message={message} />
        )}
        {panel === 'preview' && <SitePreview configurationId={configurationId} draft={draft} />}
      </Paper>
    </div>
  );
}

type FormProps = { document: Document; findings: Findings; onChange(document: Document): void };

function DocumentForm({ document, findings, onChange }: FormProps) {
  const rules = searchRulesOf(document);
  return (
    <Stack gap="lg">
      {findings.general.map(({ pointer, detail, isFault }) => (
        <Alert key={pointer + detail} color={isFault ? 'red' : 'orange'} role={isFault ? 'alert' : undefined}>
          {detail}
        </Alert>
      ))}
      <Purpose document={document} onChange={onChange} />
      {rules ? (
        <SearchSection document={document} rules={rules} onChange={onChange} />
      ) : (
        <Arrangement document={document} onChange={onChange} />
      )}
      <RuleList document={document} findings={findings} onChange={onChange} />
      <PreferenceList document={document} findings={findings} onChange={onChange} />
      <SettingsForm document={document} onChange={onChange} />
    </Stack>
  );
}

function Arrangement({ document, onChange }: Omit<FormProps, 'findings'>) {
  const { pins = [], hides = [] } = arrangementOf(document);
  const set = (changes: Partial<SearchRules>) => onChange(withArrangement(document, changes));
  return (
    <section aria-label={t('Pins and hides')}>
      <Heading title={t('Pins and hides')} />
      <Stack gap="md">
        <Pins pins={pins} onChange={(next) => set({ pins: next })} />
        <Hides hides={hides} onChange={(next) => set({ hides: next })} />
      </Stack>
    </section>
  );
}

/** Requests name the rule set of a list; searches use all rule sets with matching conditions. */
function Purpose({ document, onChange }: Omit<FormProps, 'findings'>) {
  const change = (purpose: string) => {
    const { search, ...others } = document;
    if (purpose === 'lists') return onChange(others);
    const { freshness, fatigue, rotation, calibration, purpose: _, allow_duplicates, ...kept } = others;
    const { pins, hides, ...shared } = kept;
    onChange(withArrangement(withSearchRules(shared, {}), arrangementOf(document)));
  };
  return (
    <Group gap="sm">
      <Text size="sm" fw={500}>
        {t('Applies to')}
      </Text>
      <Choice
        aria-label={t('Applies to')}
        labels={{ lists: t('Lists'), searches: t('Searches') }}
        value={searchRulesOf(document) ? 'searches' : 'lists'}
        onChange={change}
      />
    </Group>
  );
}

/** The document as stored, and its faults by pointer. */
function JsonPanel({ draft, findings }: { draft: Draft; findings: Findings }) {
  return (
    <Stack gap="sm">
      <JsonField
        aria-label={t('Rule set JSON')}
        minRows={18}
        value={draft.text}
        error={draft.fault}
        onChange={draft.setText}
      />
      {findings.all.map(({ pointer, detail }) => (
        <Box key={pointer + detail}>
          <Text size="xs" component="code">
            {pointer}
          </Text>
          <Text size="sm">{detail}</Text>
        </Box>
      ))}
    </Stack>
  );
}

type PreviewPanelProps = {
  configurationId: string;
  draft: Draft;
  stored: StoredDocument;
  /** Undefined while the draft has faults. */
  message?: Configuration;
};

const noIds: string[] = [];

/** Preview of a visitor's list with the draft; marks changes against the published version. */
function PreviewPanel({ configurationId, draft, stored, message }: PreviewPanelProps) {
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
          <SwitchField
            size="xs"
            label={t('Mark changes')}
            checked={marksMoves}
            onChange={(isOn) => set({ moves: isOn ? '' : '0' })}
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

type SitePreviewProps = { configurationId: string; draft: Draft };

/** Button and dialog that make a link to a page of the site with the saved draft. */
function SitePreview({ configurationId, draft }: SitePreviewProps) {
  const [isOpen, dialog] = useDisclosure(false);
  const isSaved = draft.isChanged && draft.sharing.state === 'saved';
  return (
    <>
      <Button
        size="xs"
        mt="md"
        disabled={!isSaved}
        title={isSaved ? undefined : t('There is no saved draft to preview.')}
        onClick={dialog.open}
      >
        {t('Preview on your site')}
      </Button>
      <Modal opened={isOpen} onClose={dialog.close} title={t('Preview on your site')}>
        <LinkForm configurationId={configurationId} />
      </Modal>
    </>
  );
}

function LinkForm({ configurationId }: { configurationId: string }) {
  const { connection, environment } = useConsole();
  const [address, setAddress] = useState('');
  const page = pageOf(address);
  const making = useMutation({
    async mutationFn(page: URL) {
      const request = { configurationId, environment: environment.name };
      const service = createClient(ConfigurationService, connection.transport);
      const { token } = await service.createPreviewToken(request);
      page.hash += `${page.hash ? '&' : '#'}personalisation_preview=${token}`;
      return page.href;
    },
  });
  return (
    <Stack gap="md">
      <Form
        submit={t('Create link')}
        isIncomplete={!page}
        {...making}
        onSubmit={() => page && making.mutate(page)}
      >
        <Hint size="sm">
          {t(
            'The link shows the draft, as it is then, to everyone who has it, for 24 hours. The page needs the browser client. Nothing that happens in a preview is counted.',
          )}
        </Hint>
        <TextField
          label={t('Address of the page')}
          placeholder="https://shop.example/"
          data-autofocus
          value={address}
          error={address && !page ? t('Enter an address that begins with https:// or http://.') : undefined}
          onChange={(next) => {
            setAddress(next);
            making.reset();
          }}
        />
      </Form>
      {making.data && <Snippet code={making.data} label={t('link')} />}
    </Stack>
  );
}

function pageOf(address: string): URL | undefined {
  const page = URL.parse(address);
  return page && /^https?:$/.test(page.protocol) ? page : undefined;
}
