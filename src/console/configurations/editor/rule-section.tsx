import { Button, Group, Menu, Text, Title } from '@mantine/core';
import { ChevronDown, Plus } from 'lucide-react';
import { useState } from 'react';
import { type Document, type Json, printRule, type Rule, readRule } from '../../grammar/document.ts';
import { searchRulesOf } from '../../grammar/search-rules.ts';
import { limitWords, ruleWords } from '../../grammar/words.ts';
import { EditableList } from './editable-list.tsx';
import { RuleFields } from './rule-fields.tsx';
import { text as searchText } from './search/text.ts';
import { ruleTemplates } from './templates.ts';
import { text } from './text.ts';
import type { Findings } from './use-findings.ts';

type RuleSectionProps = {
  document: Document;
  findings: Findings;
  onChange(document: Document): void;
};

/** What a list must and may hold. */
export function RuleSection({ document, findings, onChange }: RuleSectionProps) {
  const [open, setOpen] = useState<number>();
  const constraints = document.constraints ?? [];
  const isOfSearches = searchRulesOf(document) !== undefined;
  const set = (next: Json[]) => onChange({ ...document, constraints: next });
  const add = (rule: Rule) => {
    set([...constraints, printRule(rule)]);
    setOpen(constraints.length);
  };
  return (
    <section aria-label={text.rules}>
      <Group justify="space-between" align="flex-end" mb="xs">
        <div style={{ flex: '1 1 230px' }}>
          <Title order={2}>{text.rules}</Title>
          <Text size="xs" className="quiet">
            {isOfSearches ? searchText.rulesLead : text.rulesLead}
          </Text>
        </div>
        <AddRule onAdd={add} />
      </Group>
      <EditableList
        name="rule"
        entries={constraints}
        empty={isOfSearches ? searchText.anyItem : text.noRules}
        open={open}
        onOpen={setOpen}
        onChange={set}
        findingsOf={(place) => findings.of('constraints', place)}
        badgeOf={(json) => limitWords(readRule(json))}
        wordsOf={(json) => wordsWithoutLimit(readRule(json))}
        noteOf={(json) => readRule(json).note}
        renderFields={(json, place) => (
          <RuleFields
            rule={readRule(json)}
            onChange={(rule) => set(constraints.map((one, i) => (i === place ? printRule(rule) : one)))}
          />
        )}
      />
    </section>
  );
}

const wordsWithoutLimit = (rule: Rule): string =>
  ruleWords(rule).slice(limitWords(rule).length).replace(/^:? /, '');

function AddRule({ onAdd }: { onAdd(rule: Rule): void }) {
  return (
    <Menu position="bottom-end" width={260}>
      <Menu.Target>
        <Button
          variant="default"
          size="xs"
          leftSection={<Plus size={14} aria-hidden />}
          rightSection={<ChevronDown size={13} aria-hidden />}
        >
          Add a rule
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {ruleTemplates.map(({ label, hint, rule }) => (
          <Menu.Item key={label} onClick={() => onAdd(rule)}>
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
