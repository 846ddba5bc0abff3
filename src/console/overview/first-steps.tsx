import { Stepper } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useState } from 'react';
import { Section } from '../kit/page.tsx';
import { Snippet } from '../kit/snippet.tsx';
import { useConsole } from '../service/console-context.ts';
import { settings } from '../service/settings.ts';
import { t } from '../texts/texts.ts';

/** First calls for an environment without items, with this service's address. */
export function FirstSteps() {
  const { environment } = useConsole();
  const [step, setStep] = useState(0);
  const isNarrow = useMediaQuery('(max-width: 48em)');
  const itemType = environment.itemTypes[0]?.name ?? 'item';
  const snippets = snippetsFor(`${location.origin}${settings.basePath}`, environment.name, itemType);
  return (
    <Section
      p="lg"
      title={t('First steps')}
      lead={t('Create your first list with four calls. Copy and paste them.')}
    >
      <Stepper
        orientation={isNarrow ? 'vertical' : 'horizontal'}
        active={step}
        onStepClick={setStep}
        size="sm"
        allowNextStepsSelect
      >
        {Object.entries(snippets).map(([title, code]) => (
          <Stepper.Step key={title} label={title}>
            <Snippet code={code} label={title} />
          </Stepper.Step>
        ))}
      </Stepper>
    </Section>
  );
}

function snippetsFor(base: string, environment: string, itemType: string) {
  const headers = `-H "authorization: Bearer $token" -H 'content-type: application/json'`;
  return {
    [t('Get a token')]: `token=$(curl -s ${base}/oauth/token -d grant_type=client_credentials \\
  -d client_id=YOUR_CLIENT_ID -d client_secret=YOUR_CLIENT_SECRET |
  node -p "JSON.parse(require('fs').readFileSync(0)).access_token")`,
    [t('Send an item')]: `curl -X PUT ${base}/${environment}/items/${itemType}/first ${headers} \\
  -d '{ "title": "My first item", "categories": ["Start"] }'`,
    [t('Send an event')]: `curl ${base}/${environment}/events ${headers} -d '{
  "events": [{ "event_type": "detail_pageview", "device_id": "my-device", "page_type": "detail",
               "action_item": "first", "action_item_type": "${itemType}" }] }'`,
    [t('Request a list')]:
      `curl -X PUT ${base}/configurations/home ${headers} -d '{ "constraints": [], "preferences": [] }'
curl ${base}/${environment}/recommendations/requests ${headers} -d '{
  "device_id": "another-device", "page_type": "home",
  "lists": [{ "configuration_id": "home", "list_name": "for you", "list_size": 5 }] }'`,
  };
}
