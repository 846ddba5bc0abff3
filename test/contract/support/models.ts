/** Trainings of one environment, requested by an administrator. */

import { setTimeout as delay } from 'node:timers/promises';
import type { TestService } from '../../support/service.ts';

export type Training = {
  training_id: string;
  /** `published`, `kept` or `failed` once it has ended. */
  state: string;
  decision: string;
  comparison?: { question_count: number; quality: number; served_quality: number };
  learnt_blend?: {
    question_count: number;
    quality: number;
    models: { model: string; weight: number; quality_alone: number; quality_without: number }[];
  };
  end_time?: string;
};

type Item = { itemType: string; itemId: string; document: object };

export function createModels(
  { baseUrl, authorization }: Pick<TestService, 'baseUrl' | 'authorization'>,
  environment: string,
) {
  /** Answers without a body are undefined. A path is below the documented ones, unless it begins with a slash. */
  const call = async <Body>(method: string, path: string, body?: unknown): Promise<Body> => {
    const headers = { authorization, 'content-type': 'application/json' };
    const response = await fetch(new URL(path, `${baseUrl}/`), {
      method,
      headers,
      body: JSON.stringify(body),
    });
    return (await response.json().catch(() => undefined)) as Body;
  };
  return {
    call,
    /** Through the service, which includes its own writes at once. */
    async putItems(items: Item[]): Promise<void> {
      const given = items.map(({ itemType, itemId, document }) => {
        return { json: JSON.stringify({ ...document, item_type: itemType, item_id: itemId }) };
      });
      const path = '/personalisation.v1.CatalogueService/PutItems';
      const stored = await call<{ acceptedCount?: number }>('POST', path, { environment, items: given });
      if (stored.acceptedCount !== items.length) throw new Error(`Stored: ${JSON.stringify(stored)}.`);
    },
    /** Requests a training and waits for its end, even if others run. AVA limits the wait. */
    async train(): Promise<Training> {
      const { training_id: id } = await call<Training>('POST', `${environment}/models/trainings`);
      for (;;) {
        const training = await call<Training>('GET', `${environment}/models/trainings/${id}`);
        if (training.end_time !== undefined) return training;
        await delay(100);
      }
    },
    servedVersion: async () =>
      (await call<{ served_version: number }>('GET', `${environment}/models/trainings`)).served_version,
  };
}
