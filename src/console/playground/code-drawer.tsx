import { Drawer, Tabs } from '@mantine/core';
import { Snippet } from '../kit/snippet.tsx';
import { readVariables } from '../kit/variables.ts';
import type { Setup } from '../lists/setup.ts';
import { useConsole } from '../service/console-context.ts';
import { settings } from '../service/settings.ts';
import { t } from '../texts/texts.ts';

type CodeDrawerProps = { setup: Setup; isOpen: boolean; onClose(): void };

/** Code of the request that returns the lists of the first column. */
export function CodeDrawer({ setup, isOpen, onClose }: CodeDrawerProps) {
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
