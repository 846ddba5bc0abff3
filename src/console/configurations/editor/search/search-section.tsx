import { MultiSelect, NumberInput, SimpleGrid, Stack, TextInput } from '@mantine/core';
import type { Document } from '../../../grammar/document.ts';
import { changed, type SearchRules, withSearchRules } from '../../../grammar/search-rules.ts';
import { Heading } from '../../../kit/page.tsx';
import { useConsole } from '../../../service/console-context.ts';
import { t } from '../../../texts/texts.ts';
import { BannerList } from './banner-list.tsx';
import { Hides, Pins } from './item-lines.tsx';
import { WhenFields } from './when-fields.tsx';

type SearchSectionProps = { document: Document; rules: SearchRules; onChange(document: Document): void };

/** Conditions of the searches, and what they show besides rules. */
export function SearchSection({ document, rules, onChange }: SearchSectionProps) {
  const { environments } = useConsole();
  const set = (changes: Partial<SearchRules>) => onChange(withSearchRules(document, changed(rules, changes)));
  const number = (key: 'priority' | 'places', label: string, hint: string, min: number, max: number) => (
    <NumberInput
      label={label}
      description={hint}
      min={min}
      max={max}
      allowDecimal={false}
      value={rules[key] ?? ''}
      onChange={(value) => set({ [key]: typeof value === 'number' ? value : undefined })}
    />
  );
  return (
    <>
      <section aria-label={t('When')}>
        <Heading
          title={t('When')}
          lead={t('All conditions must match; several values mean “any of”; empty means all.')}
        />
        <WhenFields when={rules.when ?? {}} onChange={(when) => set({ when })}>
          {environments.length > 1 && (
            <MultiSelect
              label={t('Environments')}
              placeholder={rules.environments ? '' : t('all')}
              data={environments.map(({ name }) => name)}
              value={rules.environments ?? []}
              onChange={(names) => set({ environments: names })}
            />
          )}
        </WhenFields>
      </section>
      <section aria-label={t('Then show')}>
        <Heading title={t('Then show')} lead={t('The rules and preferences below apply too.')} />
        <Stack gap="md">
          <Pins pins={rules.pins ?? []} onChange={(pins) => set({ pins })} />
          <Hides hides={rules.hides ?? []} onChange={(hides) => set({ hides })} />
          <TextInput
            label={t('Redirect')}
            description={t('A URL, or a path of your site. The answer still contains the results.')}
            placeholder="/sofas"
            maxLength={2048}
            value={rules.redirect ?? ''}
            onChange={(event) => set({ redirect: event.currentTarget.value })}
          />
          <BannerList
            banners={rules.promoted_content ?? []}
            onChange={(banners) => set({ promoted_content: banners })}
          />
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
            {number(
              'priority',
              t('Priority'),
              t('−1,000 to 1,000; decides between pins and redirects'),
              -1000,
              1000,
            )}
            {number('places', t('Apply limits to the top'), t('1 to 100 results [10]'), 1, 100)}
          </SimpleGrid>
        </Stack>
      </section>
    </>
  );
}
