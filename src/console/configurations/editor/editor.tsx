import { Alert, Box, Group, Paper, SegmentedControl, Stack, Text } from '@mantine/core';
import type { Document } from '../../grammar/document.ts';
import {
  arrangementOf,
  type SearchRules,
  searchRulesOf,
  withArrangement,
  withSearchRules,
} from '../../grammar/search-rules.ts';
import type { StoredDocument } from '../../grammar/stored-documents.ts';
import { JsonField } from '../../kit/fields.tsx';
import { Heading } from '../../kit/page.tsx';
import { useAddress } from '../../service/address.ts';
import { useConsole } from '../../service/console-context.ts';
import { rich } from '../../texts/rich-text.ts';
import { t } from '../../texts/texts.ts';
import classes from './editor.module.css';
import { PreviewPanel } from './preview-panel.tsx';
import { PreferenceList, RuleList } from './rule-lists.tsx';
import { Hides, Pins } from './search/item-lines.tsx';
import { SearchPreview } from './search/search-preview.tsx';
import { SearchSection } from './search/search-section.tsx';
import { SettingsForm } from './settings-form.tsx';
import { SitePreview } from './site-preview.tsx';
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
          <Form document={draft.document} findings={findings} onChange={draft.setDocument} />
        ) : (
          <Alert color="orange" mb="md" role="alert">
            {rich('Fix the JSON to use the form. {fault}', { fault: draft.fault })}
          </Alert>
        )}
      </Box>
      <Paper className={classes.side} p="md">
        {hasPreview && (
          <SegmentedControl
            aria-label={t('Side panel')}
            data={[
              { value: 'preview', label: t('Preview') },
              { value: 'json', label: 'JSON' },
            ]}
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

function Form({ document, findings, onChange }: FormProps) {
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

/** Pins and hides of lists. */
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
      <SegmentedControl
        aria-label={t('Applies to')}
        data={[
          { value: 'lists', label: t('Lists') },
          { value: 'searches', label: t('Searches') },
        ]}
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
        onChange={(event) => draft.setText(event.currentTarget.value)}
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
