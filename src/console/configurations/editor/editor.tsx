import { Alert, Box, Group, Paper, SegmentedControl, Stack, Text } from '@mantine/core';
import type { Document } from '../../grammar/document.ts';
import { searchRulesOf, withSearchRules } from '../../grammar/search-rules.ts';
import type { StoredDocument } from '../../grammar/stored-documents.ts';
import { useAddress } from '../../service/address.ts';
import { useConsole } from '../../service/console-context.ts';
import classes from './editor.module.css';
import { JsonPanel } from './json-panel.tsx';
import { PreferenceList } from './preference-list.tsx';
import { PreviewPanel } from './preview-panel.tsx';
import { RuleSection } from './rule-section.tsx';
import { SearchPreview } from './search/search-preview.tsx';
import { SearchSection } from './search/search-section.tsx';
import { text as searchText } from './search/text.ts';
import { SettingsForm } from './settings-form.tsx';
import { text } from './text.ts';
import type { Draft } from './use-draft.ts';
import { useFindings } from './use-findings.ts';

type EditorProps = { configurationId: string; draft: Draft; stored: StoredDocument };

/** The form on one side; what it makes of lists, or its JSON, on the other. Both sides write the same document. */
export function Editor({ configurationId, draft, stored }: EditorProps) {
  const { values, set } = useAddress<'panel'>();
  const { can } = useConsole();
  const previews = can('explanations');
  const panel = previews && values.panel !== 'json' ? 'preview' : 'json';
  const findings = useFindings(configurationId, draft.document);
  const { document } = draft;
  const rules = document && searchRulesOf(document);
  return (
    <div className={classes.editor}>
      <Box miw={0}>
        {!document && (
          <Alert color="orange" variant="light" mb="md" role="alert">
            {text.jsonBroken} {draft.fault}
          </Alert>
        )}
        {document && (
          <Stack gap="lg">
            {findings.general.map(({ pointer, detail, isFault }) => (
              <Alert
                key={pointer + detail}
                color={isFault ? 'red' : 'orange'}
                variant="light"
                role={isFault ? 'alert' : undefined}
              >
                {detail}
              </Alert>
            ))}
            <Purpose document={document} onChange={draft.setDocument} />
            {rules && <SearchSection document={document} rules={rules} onChange={draft.setDocument} />}
            <RuleSection document={document} findings={findings} onChange={draft.setDocument} />
            <PreferenceList document={document} findings={findings} onChange={draft.setDocument} />
            <SettingsForm document={document} onChange={draft.setDocument} />
          </Stack>
        )}
      </Box>
      <Paper className={classes.side} p="md">
        {previews && (
          <SegmentedControl
            aria-label="What is shown beside the form"
            data={[
              { value: 'preview', label: 'Preview' },
              { value: 'json', label: 'JSON' },
            ]}
            value={panel}
            onChange={(next) => set({ panel: next === 'json' ? 'json' : '' })}
            mb="md"
            transitionDuration={0}
          />
        )}
        {panel === 'json' && <JsonPanel draft={draft} findings={findings} />}
        {panel === 'preview' && rules && (
          <SearchPreview configurationId={configurationId} rules={rules} message={findings.message} />
        )}
        {panel === 'preview' && !rules && (
          <PreviewPanel
            configurationId={configurationId}
            draft={draft}
            stored={stored}
            message={findings.message}
          />
        )}
      </Paper>
    </div>
  );
}

/** Lists name a configuration; searches are steered by those that say so. */
function Purpose({ document, onChange }: { document: Document; onChange(document: Document): void }) {
  const change = (purpose: string) => {
    const { search, ...others } = document;
    if (purpose === 'lists') return onChange(others);
    const { freshness, fatigue, rotation, allow_duplicates, ...kept } = others;
    onChange(withSearchRules(kept, {}));
  };
  return (
    <Group gap="sm">
      <Text size="sm" fw={500}>
        {searchText.purpose}
      </Text>
      <SegmentedControl
        aria-label={searchText.purpose}
        data={[
          { value: 'lists', label: searchText.forLists },
          { value: 'searches', label: searchText.forSearches },
        ]}
        value={searchRulesOf(document) ? 'searches' : 'lists'}
        onChange={change}
        transitionDuration={0}
      />
    </Group>
  );
}
