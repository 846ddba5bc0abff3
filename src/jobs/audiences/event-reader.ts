/** Reads event rows as events of the index: opt-outs, opt-ins and mailings. */

import { type Interpretation, isSignOut, optOuts, qualifierOf } from '../../events/meaning.ts';
import type { AudienceEventRow } from '../../repository/audiences/audience-events.ts';
import type { AudienceEvent } from './audience-index.ts';

/** Interaction types that opt a subject in. */
const ins = new Set(['subscribe', 'subscribed', 'opt_in', 'opt-in', 'optin', 'resubscribe']);

const interactions = new Set(['user_interaction', 'item_interaction', 'group_interaction']);
const mailings = new Set(['batch_impression', 'batch_open', 'batch_click_on_recommendation']);

export function readEvent(
  { contact, ...row }: AudienceEventRow,
  interpretation: Interpretation,
): AudienceEvent {
  const { eventType } = row;
  if (!contact) return row;
  const details = { interaction_type: contact.interaction, rating: contact.rating };
  const event = { ...row, qualifier: qualifierOf({ eventType, details }, interpretation) };
  if (mailings.has(eventType)) {
    return { ...event, isMailing: true, names: present(contact.campaign, contact.audience, contact.name) };
  }
  if (isSignOut({ eventType, details: { interaction_type: contact.interaction } }))
    return { ...event, signsOut: true };
  const optsOut = optsOutBy(eventType, contact.interaction);
  /** An opt-out is safe to believe. A public event, which anyone may send, cannot take one back. */
  if (optsOut === undefined || (!optsOut && event.isPublic)) return event;
  const names = present(contact.integration, contact.channel, contact.group, event.itemId);
  return { ...event, optsOut, names };
}

function optsOutBy(eventType: string, interaction = ''): boolean | undefined {
  if (eventType === 'cancel_subscription') return true;
  if (eventType === 'start_subscription') return false;
  if (!interactions.has(eventType)) return undefined;
  const kind = interaction.toLowerCase();
  if (optOuts.has(kind)) return true;
  return ins.has(kind) ? false : undefined;
}

function present(...names: (string | undefined)[]): string[] {
  return names.filter((name) => name !== undefined);
}
