import { Button, Group, Menu, NumberInput, Stack, Text, Title } from '@mantine/core';
import { ChevronDown, Plus } from 'lucide-react';
import { useState } from 'react';
import {
  type Document,
  type Json,
  type Preference,
  printPreference,
  readPreference,
} from '../../grammar/document.ts';
import { searchRulesOf } from '../../grammar/search-rules.ts';
import { conditionWords } from '../../grammar/words.ts';
import { ConditionFields } from './condition-fields.tsx';
import { EditableList } from './editable-list.tsx';
import { NoteField } from './rule-fields.tsx';
import { text as searchText } from './search/text.ts';
import { preferenceTemplates } from './templates.ts';
import { text } from './text.ts';
import type { Findings } from './use-findings.ts';

type PreferenceListProps = {
  document: Document;
  findings: Findings;
  onChange(document: Document): void;
};

/** What comes first, and what last. */
export function PreferenceList({ document, findings, onChange }: PreferenceListProps) {
  const [open, setOpen] = useState<number>();
  const preferences = document.preferences ?? [];
  const set = (next: Json[]) => onChange({ ...document, preferences: next });
  const add = (preference: Preference) => {
    set([...preferences, printPreference(preference)]);
    setOpen(preferences.length);
  };
  return (
    <section aria-label={text.preferences}>
      <Group justify="space-between" align="flex-end" mb="xs">
        <div style={{ flex: '1 1 230px' }}>
          <Title order={2}>{text.preferences}</Title>
          <Text size="xs" className="quiet">
            {searchRulesOf(document) ? searchText.preferencesLead : text.preferencesLead}
          </Text>
        </div>
        <AddPreference onAdd={add} />
      </Group>
      <EditableList
        name="preference"
        entries={preferences}
        empty={text.noPreferences}
        open={open}
        onOpen={setOpen}
        onChange={set}
        findingsOf={(place) => findings.of('preferences', place)}
        badgeOf={(json) => badgeOf(readPreference(json))}
        wordsOf={(json) => conditionWords(readPreference(json).condition)}
        noteOf={(json) => readPreference(json).note}
        renderFields={(json, place) => (
          <PreferenceFields
            preference={readPreference(json)}
            onChange={(preference) =>
              set(preferences.map((one, i) => (i === place ? printPreference(preference) : one)))
            }
          />
        )}
      />
    </section>
  );
}

const badgeOf = ({ weight }: Preference): string =>
  `${weight < 0 ? 'Rather not' : 'Prefer'} ${Math.abs(weight)}`;

type PreferenceFieldsProps = { preference: Preference; onChange(preference: Preference): void };

function PreferenceFields({ preference, onChange }: PreferenceFieldsProps) {
  return (
    <Stack gap="sm">
      <NumberInput
        label="Weight"
        description="Weights of all preferences that an item matches are added up; below 0 it comes last."
        min={-1_000_000}
        max={1_000_000}
        allowDecimal={false}
        value={preference.weight}
        onChange={(weight) => typeof weight === 'number' && onChange({ ...preference, weight })}
      />
      <ConditionFields
        condition={preference.condition}
        onChange={(condition) => onChange({ ...preference, condition })}
      />
      <NoteField note={preference.note} onChange={(note) => onChange({ ...preference, note })} />
    </Stack>
  );
}

function AddPreference({ onAdd }: { onAdd(preference: Preference): void }) {
  return (
    <Menu position="bottom-end" width={260}>
      <Menu.Target>
        <Button
          variant="default"
          size="xs"
          leftSection={<Plus size={14} aria-hidden />}
          rightSection={<ChevronDown size={13} aria-hidden />}
        >
          Add a preference
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {preferenceTemplates.map(({ label, hint, preference }) => (
          <Menu.Item key={label} onClick={() => onAdd(preference)}>
            {label}
            <Text size="xs" className="quiet">
              {hint}
            </Text>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
