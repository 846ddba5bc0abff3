/** The session of a visitor: identity, current page, and events about both. */

import type { PersonalisationOptions } from './client.ts';
import type { Choice, ListOrigin, Page, PageEvent } from './contract.ts';
import { createIdentity, type Identity, newId } from './identity.ts';
import { createOutbox } from './outbox.ts';
import { post } from './service-call.ts';

export type Visitor = { device_id: string; user_id?: string; channel: string };

/** Defaults of list requests. */
export type Context = Pick<ListOrigin, 'page_type' | 'context_item' | 'context_item_type'>;

export type Session = {
  visitor(): Visitor;
  context(): Context;
  onChange(listener: () => void): void;
  page(page: Page): void;
  track(event: PageEvent): void;
  identify(userId: string | undefined): void;
  reset(): void;
  control(choice: Choice): Promise<void>;
  setConsent(given: boolean): void;
  flush(): Promise<void>;
};

const controlTimeoutMs = 10_000;

type SessionOptions = PersonalisationOptions & {
  /** Whether the page shows a preview, which is not tracked. */
  isPreviewed(): boolean;
};

/** @param base Address of the environment. */
export function createSession(base: string, options: SessionOptions): Session {
  const { writeKey, channel = 'web', onError = () => undefined } = options;
  const identity = createIdentity(options.consent, options.deviceId);
  /** Servers render lists, and send no events of visitors. */
  const mayTrack = typeof document !== 'undefined' && writeKey !== undefined;
  const key = `write_key=${encodeURIComponent(writeKey ?? '')}`;
  const url = `${base}/events?partial=true&${key}`;
  const outbox = createOutbox({ url, name: options.environment, newId, onError });
  const listeners: (() => void)[] = [];
  let { userId } = options;
  let current: Page = { page_type: 'unknown' };

  function visitor(): Visitor {
    const user = identity.hasConsent() && userId !== undefined ? { user_id: userId } : {};
    return { device_id: identity.deviceId(), ...user, channel };
  }

  function track(event: PageEvent): void {
    if (!mayTrack || !identity.hasConsent() || options.isPreviewed()) return;
    const { event_id = newId() } = event;
    outbox.add({ ...visitor(), page_type: current.page_type, ...event, event_id });
  }

  function tellChange(): void {
    for (const listener of listeners) listener();
  }

  function applyConsent(given: boolean): void {
    if (!mayTrack) return;
    if (given) outbox.start();
    else outbox.clear();
  }

  applyConsent(options.consent);
  return {
    visitor,
    track,
    context() {
      const { page_type, action_item: context_item, action_item_type: context_item_type } = current;
      return { page_type, context_item, context_item_type };
    },
    page(next) {
      current = next;
      track({ event_type: eventTypeOf(next), ...next });
      tellChange();
    },
    identify(id) {
      userId = id;
      tellChange();
    },
    reset() {
      track({ event_type: 'user_interaction', interaction_type: 'sign_out' });
      identity.reset();
      userId = undefined;
      tellChange();
    },
    async control(choice) {
      if (mayTrack && identity.hasConsent())
        await sendChoice(choice, `${base}/visitors/controls?${key}`, identity);
    },
    setConsent(given) {
      identity.setConsent(given);
      applyConsent(given);
      tellChange();
    },
    onChange: (listener) => void listeners.push(listener),
    flush: () => outbox.flush(),
  };
}

async function sendChoice(choice: Choice, url: string, { deviceId, secret }: Identity): Promise<void> {
  const body = { device_id: deviceId(), device_secret: secret(), ...choice };
  await post(url, body, { timeoutMs: controlTimeoutMs });
}

function eventTypeOf({ action_item, action_group }: Page): PageEvent['event_type'] {
  if (action_item) return 'detail_pageview';
  return action_group ? 'group_pageview' : 'page_visit';
}
