import { MultiSelect, NumberInput, SimpleGrid, Stack, Text, TextInput, Title } from '@mantine/core';
import type { Document } from '../../../grammar/document.ts';
import { changed, type SearchRules, withSearchRules } from '../../../grammar/search-rules.ts';
import { useConsole } from '../../../service/console-context.ts';
import { BannerList } from './banner-list.tsx';
import { Hides, Pins } from './item-lines.tsx';
import { text } from './text.ts';
import { WhenFields } from './when-fields.tsx';

type SearchSectionProps = { document: Document; rules: SearchRules; onChange(document: Document): void };

/** Which searches a configuration steers, and what it does to them besides its rules. */
export function SearchSection({ document, rules, onChange }: SearchSectionProps) {
  const { environments } = useConsole();
  const set = (changes: Partial<SearchRules>) => onChange(withSearchRules(document, changed(rules, changes)));
  return (
    <>
      <section aria-label={text.which}>
        <Heading title={text.which} lead={text.whichLead} />
        <WhenFields when={rules.when ?? {}} onChange={(when) => set({ when })}>
          {environments.length > 1 && (
            <MultiSelect
              label={text.environments}
              placeholder={rules.environments ? '' : text.all}
              data={environments.map(({ name }) => name)}
              value={rules.environments ?? []}
              onChange={(names) => set({ environments: names })}
            />
          )}
        </WhenFields>
      </section>
      <section aria-label={text.shown}>
        <Heading title={text.shown} lead={text.shownLead} />
        <Stack gap="md">
          <Pins pins={rules.pins ?? []} onChange={(pins) => set({ pins })} />
          <Hides hides={rules.hides ?? []} onChange={(hides) => set({ hides })} />
          <TextInput
            label={text.redirect}
            description={text.redirectHint}
            placeholder="/sofas"
            maxLength={2048}
            value={rules.redirect ?? ''}
            onChange={(event) => set({ redirect: event.currentTarget.value })}
          />
          <BannerList
            banners={rules.promoted_content ?? []}
            onChange={(banners) => set({ promoted_content: banners })}
          />
          <Standing rules={rules} onChange={set} />
        </Stack>
      </section>
    </>
  );
}

function Heading({ title, lead }: { title: string; lead: string }) {
  return (
    <>
      <Title order={2}>{title}</Title>
      <Text size="xs" className="quiet" mb="sm">
        {lead}
      </Text>
    </>
  );
}

type StandingProps = { rules: SearchRules; onChange(changes: Partial<SearchRules>): void };

/** Among other configurations, and among how many places. */
function Standing({ rules, onChange }: StandingProps) {
  const number = (key: 'priority' | 'places', hint: string, min: number, max: number) => (
    <NumberInput
      label={text[key]}
      description={hint}
      min={min}
      max={max}
      allowDecimal={false}
      value={rules[key] ?? ''}
      onChange={(value) => onChange({ [key]: typeof value === 'number' ? value : undefined })}
    />
  );
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
      {number('priority', text.priorityHint, -1000, 1000)}
      {number('places', text.placesHint, 1, 100)}
    </SimpleGrid>
  );
}
