import { useQuery } from '@connectrpc/connect-query';
import { Button, SimpleGrid } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Code2, Columns2, FileSliders, Square } from 'lucide-react';
import { ConfigurationService } from '../../../gen/es/personalisation/v1/configuration_service_pb.js';
import { Empty } from '../kit/empty.tsx';
import { ErrorNotice } from '../kit/error-notice.tsx';
import { PageFrame, PageSkeleton } from '../kit/page.tsx';
import { Column } from '../lists/column.tsx';
import { usePreview } from '../lists/queries.ts';
import { readSetup, type Setup, writeSetup } from '../lists/setup.ts';
import { text } from '../lists/text.ts';
import { useAddress } from '../service/address.ts';
import { CodeDrawer } from './code-drawer.tsx';

/** Tries lists, one setup or two side by side. */
export function Page() {
  const { values, set } = useAddress<string>();
  const [isCodeOpen, code] = useDisclosure(false);
  const { data, error, refetch } = useQuery(ConfigurationService.method.listConfigurations);
  const configurationIds = data?.configurationIds ?? [];
  const fallback = configurationIds.includes('home') ? 'home' : (configurationIds[0] ?? '');
  const isComparing = values.compare === '1';
  const setups = (isComparing ? ['', '2'] : ['']).map((suffix) => readSetup(values, suffix, fallback));
  if (error) return <ErrorNotice error={error} onRetry={refetch} />;
  if (!data) return <PageSkeleton />;

  const compare = () => {
    if (isComparing) return set({ compare: '' });
    set({ compare: '1', ...writeSetup(setups[0], '2') });
  };
  const actions = (
    <>
      <Button
        variant="default"
        leftSection={isComparing ? <Square size={15} aria-hidden /> : <Columns2 size={15} aria-hidden />}
        onClick={compare}
      >
        {isComparing ? text.stopComparing : text.compare}
      </Button>
      <Button variant="default" leftSection={<Code2 size={15} aria-hidden />} onClick={code.open}>
        {text.code}
      </Button>
    </>
  );
  return (
    <PageFrame title={text.title} lead={text.lead} actions={actions} isWide>
      {configurationIds.length === 0 ? (
        <Empty icon={FileSliders} title={text.noConfigurations}>
          {text.noConfigurationsLead}
        </Empty>
      ) : (
        <Columns
          setups={setups}
          configurationIds={configurationIds}
          onChange={(place, changes) => set(writeSetup(changes, place === 0 ? '' : '2'))}
        />
      )}
      <CodeDrawer setup={setups[0]} isOpen={isCodeOpen} onClose={code.close} />
    </PageFrame>
  );
}

type ColumnsProps = {
  setups: Setup[];
  configurationIds: string[];
  onChange(place: number, changes: Partial<Setup>): void;
};

/** Each column knows the ranks of the other, to mark what moved. */
function Columns({ setups, configurationIds, onChange }: ColumnsProps) {
  const left = usePreview(setups[0]);
  const right = usePreview(setups[1] ?? setups[0]);
  const previews = [left, right];
  return (
    <SimpleGrid cols={{ base: 1, md: setups.length }} spacing="xl" verticalSpacing="xl">
      {setups.map((setup, place) => (
        <Column
          // biome-ignore lint/suspicious/noArrayIndexKey: a column is its place
          key={place}
          label={setups.length > 1 ? ['Left', 'Right'][place] : ''}
          setup={setup}
          preview={previews[place]}
          other={setups.length > 1 ? previews[1 - place].data : undefined}
          configurationIds={configurationIds}
          onChange={(changes) => onChange(place, changes)}
        />
      ))}
    </SimpleGrid>
  );
}
