import { Button, Menu } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import {
  type Condition,
  type Document,
  type Json,
  type Preference,
  printPreference,
  printRule,
  type Rule,
  readPreference,
  readRule,
} from '../../grammar/document.ts';
import { searchRulesOf } from '../../grammar/search-rules.ts';
import { conditionWords, limitWords, subjectWords, weightWords } from '../../grammar/words.ts';
import { ChevronDown, Plus } from '../../kit/icons.ts';
import { Heading, Hint } from '../../kit/page.tsx';
import { t } from '../../texts/texts.ts';
import { EditableList, type EntryName, type EntryTexts } from './editable-list.tsx';
import { PreferenceFields, RuleFields } from './rule-fields.tsx';
import type { Findings } from './use-findings.ts';

export type Template<Entry> = { label: string; hint: string; entry: Entry };

const nothing: Condition = { key: '', tests: [] };

const constraint = { kind: 'constraint', condition: nothing, note: '' } as const;

const ruleTemplates: Template<Rule>[] = [
  { label: t('Must match …'), hint: t('e.g. only items in stock'), entry: constraint },
  {
    label: t('At least N items where …'),
    hint: t('e.g. 2 items of our brand'),
    entry: { ...constraint, min: 2 },
  },
  { label: t('At most N items where …'), hint: t('e.g. 4 products'), entry: { ...constraint, max: 3 } },
  {
    label: t('Limit per brand, category …'),
    hint: t('e.g. 3 items per category'),
    entry: { kind: 'diversify', key: 'categories', max: 3, note: '' },
  },
  {
    label: t('Never in one list: …'),
    hint: t('e.g. two rival brands'),
    entry: { kind: 'apart', conditions: [nothing, nothing], note: '' },
  },
  { label: t('Exclude items where …'), hint: t('e.g. a category'), entry: { ...constraint, max: 0 } },
];

const recent: Condition = { key: 'publication_datetime', tests: [{ kind: 'date_range', min: 'now-7d' }] };

const preferenceTemplates: Template<Preference>[] = [
  {
    label: t('Boost new items'),
    hint: t('published in the last 7 days'),
    entry: { condition: recent, weight: 1, note: '' },
  },
  {
    label: t('Boost items where …'),
    hint: t('e.g. a brand, or below a price'),
    entry: { condition: nothing, weight: 1, note: '' },
  },
  {
    label: t('Bury items where …'),
    hint: t('ranks them last'),
    entry: { condition: nothing, weight: -1, note: '' },
  },
];

type ListsProps = { document: Document; findings: Findings; onChange(document: Document): void };

export function RuleList({ document, ...rest }: ListsProps) {
  const isForSearches = searchRulesOf(document) !== undefined;
  return (
    <EntrySection
      {...rest}
      document={document}
      part="constraints"
      name="rule"
      title={t('Rules')}
      lead={
        isForSearches
          ? t('Filters apply to all results; minimums and maximums apply to the top results.')
          : t('Filters and maximums always apply; minimums are filled in this order when enough items exist.')
      }
      empty={isForSearches ? t('All items can be found.') : t('All items can be shown.')}
      templates={ruleTemplates}
      read={readRule}
      print={printRule}
      textsOf={(rule) => ({ badge: limitWords(rule), words: subjectWords(rule), note: rule.note })}
      renderFields={(rule, onChange) => <RuleFields rule={rule} onChange={onChange} />}
    />
  );
}

export function PreferenceList({ document, ...rest }: ListsProps) {
  return (
    <EntrySection
      {...rest}
      document={document}
      part="preferences"
      name="preference"
      title={t('Preferences')}
      lead={
        searchRulesOf(document)
          ? t('Rank results of equal text relevance.')
          : t('Matching items rank higher; higher weight wins.')
      }
      empty={t('Items are ranked by relevance only.')}
      templates={preferenceTemplates}
      read={readPreference}
      print={printPreference}
      textsOf={({ condition, weight, note }) => ({
        badge: weightWords(weight),
        words: conditionWords(condition),
        note,
      })}
      renderFields={(preference, onChange) => (
        <PreferenceFields preference={preference} onChange={onChange} />
      )}
    />
  );
}

type EntrySectionProps<Entry> = ListsProps & {
  part: 'constraints' | 'preferences';
  name: EntryName;
  title: string;
  lead: string;
  empty: string;
  templates: Template<Entry>[];
  read(json: Json): Entry;
  print(entry: Entry): Json;
  textsOf(entry: Entry): EntryTexts;
  renderFields(entry: Entry, onChange: (entry: Entry) => void): ReactNode;
};

function EntrySection<Entry>(props: EntrySectionProps<Entry>) {
  const { document, findings, onChange, part, name, title, lead, templates, read, print } = props;
  const [open, setOpen] = useState<number>();
  const entries = document[part] ?? [];
  const set = (next: Json[]) => onChange({ ...document, [part]: next });
  const add = (entry: Entry) => {
    set([...entries, print(entry)]);
    setOpen(entries.length);
  };
  return (
    <section aria-label={title}>
      <Heading
        title={title}
        lead={lead}
        actions={<AddMenu name={name} templates={templates} onAdd={add} />}
      />
      <EditableList
        name={name}
        entries={entries}
        empty={props.empty}
        open={open}
        onOpen={setOpen}
        onChange={set}
        findingsOf={(index) => findings.of(part, index)}
        textsOf={(json) => props.textsOf(read(json))}
        renderFields={(json, index) =>
          props.renderFields(read(json), (entry) => set(entries.with(index, print(entry))))
        }
      />
    </section>
  );
}

type AddMenuProps<Entry> = { name: EntryName; templates: Template<Entry>[]; onAdd(entry: Entry): void };

export function AddMenu<Entry>({ name, templates, onAdd }: AddMenuProps<Entry>) {
  return (
    <Menu position="bottom-end" width={260}>
      <Menu.Target>
        <Button size="xs" leftSection={<Plus size={14} />} rightSection={<ChevronDown size={13} />}>
          {t('Add a {name}', { name: t(name) })}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {templates.map(({ label, hint, entry }) => (
          <Menu.Item key={label} onClick={() => onAdd(entry)}>
            {label}
            <Hint>{hint}</Hint>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
