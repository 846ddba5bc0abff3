import { Alert, Box, Paper, SegmentedControl, Stack } from '@mantine/core';
import type { StoredDocument } from '../../grammar/stored-documents.ts';
import { useAddress } from '../../service/address.ts';
import classes from './editor.module.css';
import { JsonPanel } from './json-panel.tsx';
import { PreferenceList } from './preference-list.tsx';
import { PreviewPanel } from './preview-panel.tsx';
import { RuleSection } from './rule-section.tsx';
import { SettingsForm } from './settings-form.tsx';
import { text } from './text.ts';
import type { Draft } from './use-draft.ts';
import { useFindings } from './use-findings.ts';

type EditorProps = { configurationId: string; draft: Draft; stored: StoredDocument };

/** The form on one side; what it makes of lists, or its JSON, on the other. Both sides write the same document. */
export function Editor({ configurationId, draft, stored }: EditorProps) {
  const { values, set } = useAddress<'panel'>();
  const panel = values.panel === 'json' ? 'json' : 'preview';
  const findings = useFindings(configurationId, draft.document);
  const { document } = draft;
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
            {findings.general.map((detail) => (
              <Alert key={detail} color="red" variant="light" role="alert">
                {detail}
              </Alert>
            ))}
            <RuleSection document={document} findings={findings} onChange={draft.setDocument} />
            <PreferenceList document={document} findings={findings} onChange={draft.setDocument} />
            <SettingsForm document={document} onChange={draft.setDocument} />
          </Stack>
        )}
      </Box>
      <Paper className={classes.side} p="md">
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
        {panel === 'json' ? (
          <JsonPanel draft={draft} findings={findings} />
        ) : (
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
