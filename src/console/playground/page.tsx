import { Button, SimpleGrid } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Code2, Columns2, FileSliders, Square } from '../kit/icons.ts';
import { Empty, ErrorNotice, PageFrame, PageSkeleton } from '../kit/page.tsx';
import { useRuleSets } from '../kit/rule-sets.ts';
import { Column } from '../lists/column.tsx';
import { usePreview } from '../lists/queries.ts';
import { readSetup, type Setup, writeSetup } from '../lists/setup.ts';
import { useAddress } from '../service/address.ts';
import { t } from '../texts/texts.ts';
import { CodeDrawer } from './code-drawer.tsx';

/** Previews lists of one setup, or of two side by side. */
export function Page() {
  const { values, set } = useAddress<string>();
  const [isCodeOpen, code] = useDisclosure(false);
  const { data, error, refetch } = useRuleSets();
  if (!data) return error ? <ErrorNotice error={error} onRetry={refetch} /> : <PageSkeleton />;
  const configurationIds = data.map(({ configurationId }) => configurationId);
  const fallback = configurationIds.includes('home') ? 'home' : (configurationIds[0] ?? '');
  const isComparing = values.compare === '1';
  const setups = (isComparing ? ['', '2'] : ['']).map((suffix) => readSetup(values, suffix, fallback));
  const Icon = isComparing ? Square : Columns2;
  const toggle = () => set(isComparing ? { compare: '' } : { compare: '1', ...writeSetup(setups[0], '2') });
  const actions = (
    <>
      <Button variant="default" leftSection={<Icon size={15} aria-hidden />} onClick={toggle}>
        {isComparing ? t('One column') : t('Compare')}
      </Button>
      <Button variant="default" leftSection={<Code2 size={15} aria-hidden />} onClick={code.open}>
        {t('Code')}
      </Button>
    </>
  );
  return (
    <PageFrame
      title={t('Playground')}
      lead={t('Lists as a visitor would get them now, with reasons. Nothing is stored or counted.')}
      actions={actions}
      isWide
    >
      {configurationIds.length === 0 ? (
        <Empty icon={FileSliders} title={t('No rule set yet')}>
          {t('A rule set holds the rules and preferences of a list. Create one first.')}
        </Empty>
      ) : (
        <Columns
          setups={setups}
          configurationIds={configurationIds}
          onChange={(index, changes) => set(writeSetup(changes, index === 0 ? '' : '2'))}
        />
      )}
      <CodeDrawer setup={setups[0]} isOpen={isCodeOpen} onClose={code.close} />
    </PageFrame>
  );
}

type ColumnsProps = {
  setups: Setup[];
  configurationIds: string[];
  onChange(index: number, changes: Partial<Setup>): void;
};

/** Each column marks the differences from the other. */
function Columns({ setups, configurationIds, onChange }: ColumnsProps) {
  const previews = [usePreview(setups[0]), usePreview(setups[1] ?? setups[0])];
  const isComparing = setups.length > 1;
  return (
    <SimpleGrid cols={{ base: 1, md: setups.length }} spacing="xl" verticalSpacing="xl">
      {setups.map((setup, index) => (
        <Column
          // biome-ignore lint/suspicious/noArrayIndexKey: columns have no id
          key={index}
          label={isComparing ? [t('Left'), t('Right')][index] : ''}
          setup={setup}
          preview={previews[index]}
          other={isComparing ? previews[1 - index].data : undefined}
          configurationIds={configurationIds}
          onChange={(changes) => onChange(index, changes)}
        />
      ))}
    </SimpleGrid>
  );
}
