import { Button, Drawer, SimpleGrid, Tabs } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Code2, Columns2, FileSliders, Square } from '../kit/icons.ts';
import { Empty, PageFrame, Unread } from '../kit/page.tsx';
import { useRuleSets } from '../kit/rule-sets.ts';
import { Snippet } from '../kit/snippet.tsx';
import { readVariables } from '../kit/variables.ts';
import { Column } from '../lists/column.tsx';
import { readSetup, type Setup, usePreview, writeSetup } from '../lists/setup.ts';
import { useAddress } from '../service/address.ts';
import { useConsole } from '../service/console-context.ts';
import { settings } from '../service/settings.ts';
import { t } from '../texts/texts.ts';

/** Previews lists of one setup, or of two side by side. */
export function Page() {
  const { values, set } = useAddress<string>();
  const [isCodeOpen, code] = useDisclosure(false);
  const { data, error, refetch } = useRuleSets();
  if (!data) return <Unread error={error} onRetry={refetch} />;
  const configurationIds = data.map(({ configurationId }) => configurationId);
  const fallback = configurationIds.includes('home') ? 'home' : (configurationIds[0] ?? '');
  const isComparing = values.compare === '1';
  const setups = (isComparing ? ['', '2'] : ['']).map((suffix) => readSetup(values, suffix, fallback));
  const Icon = isComparing ? Square : Columns2;
  const toggle = () => set(isComparing ? { compare: '' } : { compare: '1', ...writeSetup(setups[0], '2') });
  const actions = (
    <>
      <Button leftSection={<Icon size={15} />} onClick={toggle}>
        {isComparing ? t('One column') : t('Compare')}
      </Button>
      <Button leftSection={<Code2 size={15} />} onClick={code.open}>
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

type CodeDrawerProps = { setup: Setup; isOpen: boolean; onClose(): void };

/** Code of the request that returns the lists of the first column. */
function CodeDrawer({ setup, isOpen, onClose }: CodeDrawerProps) {
  const { environment } = useConsole();
  const body = requestBody(setup);
  const snippets = { curl: curlOf, TypeScript: typeScriptOf, gRPC: grpcOf };
  return (
    <Drawer opened={isOpen} onClose={onClose} size="lg" title={t('Request from your site')}>
      <Tabs defaultValue="curl">
        <Tabs.List mb="sm">
          {Object.keys(snippets).map((name) => (
            <Tabs.Tab key={name} value={name}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {Object.entries(snippets).map(([name, print]) => (
          <Tabs.Panel key={name} value={name}>
            <Snippet label={name} code={print(environment.name, body, setup)} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Drawer>
  );
}

function requestBody(setup: Setup): object {
  const { kind, visitor, context, history } = setup;
  const clicked = history.map(({ itemId, itemType }) => ({ id: itemId, item_type: itemType }));
  return {
    device_id: kind === 'device' && visitor ? visitor : 'the-visitors-cookie',
    ...(kind === 'user' && visitor && { user_id: visitor }),
    page_type: setup.page,
    ...(context && { context_item: context.itemId, context_item_type: context.itemType }),
    ...(clicked.length > 0 && { histories: { clicked } }),
    ...readVariables(setup.variables),
    lists: setup.configurations.map((id) => ({ configuration_id: id, list_name: id, list_size: setup.size })),
  };
}

const print = (body: object): string => JSON.stringify(body, null, 2);

function curlOf(environment: string, body: object): string {
  const url = `${location.origin}${settings.basePath}/${environment}/recommendations/requests`;
  return `curl ${url} \\\n  -H 'content-type: application/json' -d '${print(body).replaceAll("'", "'\\''")}'`;
}

function typeScriptOf(environment: string, body: object): string {
  const url = `${location.origin}${settings.basePath}/${environment}/recommendations/requests`;
  return `const response = await fetch('${url}', {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(${print(body)}),
});
const { lists, request_id } = await response.json();`;
}

/** Messages have separate fields for histories and variables, which the JSON paths abbreviate. */
function grpcOf(environment: string, body: object, setup: Setup): string {
  const variables = readVariables(setup.variables) ?? {};
  const names = new Set(Object.keys(variables));
  const fields = Object.entries(body).filter(([name]) => !names.has(name));
  const request: Record<string, unknown> = Object.fromEntries(fields);
  if (names.size > 0) request.variables = variables;
  if (request.histories) request.histories = { clicked: { items: Object.values(request.histories)[0] } };
  return `grpcurl -plaintext -d '${print({ environment, request }).replaceAll("'", "'\\''")}' \\
  ${location.hostname}:50051 personalisation.v1.RecommendationService/CreateRecommendations`;
}
